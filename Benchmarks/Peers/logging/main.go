// SPDX-License-Identifier: MIT

// Measures the duration of one zap call, for the records of LoggingBenchmark.swift with the same keys and time format.
package main

import (
	"fmt"
	"io"
	"os"
	"syscall"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

var (
	device = "0f3c6a2e-89d1-4b71-9a44-1f3b2c5d7e60"
	name   = "机房 UPS 1"
	path   = os.Args[0]
	status = len(os.Args) + 199
	watts  = float64(len(os.Args)) * 195.5
)

func newLogger(output zapcore.WriteSyncer) *zap.Logger {
	encoder := zapcore.NewJSONEncoder(zapcore.EncoderConfig{
		LevelKey:    "level",
		TimeKey:     "ts",
		MessageKey:  "msg",
		EncodeLevel: zapcore.LowercaseLevelEncoder,
		EncodeTime:  zapcore.TimeEncoderOfLayout("2006-01-02T15:04:05.000Z07:00"),
	})
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(output), zap.InfoLevel))
}

//go:noinline
func logDisabled(logger *zap.Logger) {
	logger.Debug("Request answered")
}

//go:noinline
func logDisabledThree(logger *zap.Logger) {
	logger.Debug("Request answered", zap.String("path", path), zap.Int("status", status), zap.Float64("duration_ms", watts))
}

//go:noinline
func logThree(logger *zap.Logger) {
	logger.Info("Request answered", zap.String("path", path), zap.Int("status", status), zap.Float64("duration_ms", watts))
}

//go:noinline
func logTen(logger *zap.Logger) {
	logger.Info("Device data collected",
		zap.String("module", "collector"), zap.String("device_id", device), zap.String("device_name", name),
		zap.String("path", path), zap.Int("status", status), zap.Int("devices", 25), zap.Int("bytes", status*1000),
		zap.Float64("watts", watts), zap.Float64("duration_ms", watts/7), zap.Bool("connected", true))
}

func processorNanoseconds() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return syscall.TimevalToNsec(usage.Utime) + syscall.TimevalToNsec(usage.Stime)
}

func measure(subject string, count int, call func()) {
	for i := 0; i < count/10; i++ {
		call()
	}
	start := processorNanoseconds()
	for i := 0; i < count; i++ {
		call()
	}
	fmt.Println(subject, float64(processorNanoseconds()-start)/float64(count), "ns")
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "sample" {
		lines := newLogger(os.Stdout)
		logThree(lines)
		logTen(lines)
		return
	}
	null, err := os.OpenFile("/dev/null", os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		panic(err)
	}
	discard, file := newLogger(zapcore.AddSync(io.Discard)), newLogger(null)
	measure("disabled-0", 5000000, func() { logDisabled(discard) })
	measure("disabled-3", 5000000, func() { logDisabledThree(discard) })
	measure("discard-3", 1000000, func() { logThree(discard) })
	measure("discard-10", 500000, func() { logTen(discard) })
	measure("devnull-3", 500000, func() { logThree(file) })
	measure("devnull-10", 300000, func() { logTen(file) })
}
