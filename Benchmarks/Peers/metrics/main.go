// SPDX-License-Identifier: MIT

// Gathers and encodes 1,000 devices of 45 series with client_golang, and increments a cached child of a counter from two
// goroutines, as Benchmarks/Sources/MetricsBenchmark does with WPMetrics. It prints `name value unit` lines.
package main

import (
	"bytes"
	"fmt"
	"os"
	"sort"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

const (
	devices  = 1000
	families = 45
)

var labelNames = []string{"device_id", "device_name", "device_type"}

func familyName(f int) string { return fmt.Sprintf("benchmark_device_reading_%02d_volts", f) }

func labelValues(d int) []string {
	return []string{fmt.Sprintf("e156e6cb-41cb-4b35-b0dd-%012d", d), fmt.Sprintf("UPS-%05d", d), "1"}
}

func value(d, f, round int) float64 { return float64(2000+(d*7+f*13+round)%1000) / 10 }

func median(times []float64) float64 {
	sort.Float64s(times)
	return times[len(times)/2]
}

func encode(gatherer prometheus.Gatherer) []byte {
	gathered, err := gatherer.Gather()
	if err != nil {
		panic(err)
	}
	var buffer bytes.Buffer
	encoder := expfmt.NewEncoder(&buffer, expfmt.FmtText)
	for _, family := range gathered {
		if err := encoder.Encode(family); err != nil {
			panic(err)
		}
	}
	return buffer.Bytes()
}

// readings is a collector that creates const metrics from stored readings.
type readings struct {
	descriptors []*prometheus.Desc
	labels      [][]string
	round       int
}

func (r *readings) Describe(descriptors chan<- *prometheus.Desc) {
	for _, descriptor := range r.descriptors {
		descriptors <- descriptor
	}
}

func (r *readings) Collect(metrics chan<- prometheus.Metric) {
	for f, descriptor := range r.descriptors {
		for d := range r.labels {
			metrics <- prometheus.MustNewConstMetric(
				descriptor, prometheus.GaugeValue, value(d, f, r.round), r.labels[d]...)
		}
	}
}

func measure(name string, rounds int, update func(int), gatherer prometheus.Gatherer) {
	var times []float64
	size := 0
	for round := 0; round < rounds; round++ {
		update(round)
		start := time.Now()
		size = len(encode(gatherer))
		times = append(times, time.Since(start).Seconds())
	}
	fmt.Printf("%s %.0f bytes/s\n", name, float64(size)/median(times))
	fmt.Printf("%s-size %d bytes\n", name, size)
}

func main() {
	rounds, _ := strconv.Atoi(os.Args[1])
	labels := make([][]string, devices)
	for d := range labels {
		labels[d] = labelValues(d)
	}

	registry := prometheus.NewRegistry()
	collector := &readings{labels: labels}
	for f := 0; f < families; f++ {
		collector.descriptors = append(collector.descriptors,
			prometheus.NewDesc(familyName(f), "A reading of a device.", labelNames, nil))
	}
	registry.MustRegister(collector)
	measure("collector", rounds, func(round int) { collector.round = round }, registry)

	registry = prometheus.NewRegistry()
	children := make([][]prometheus.Gauge, families)
	for f := range children {
		vector := prometheus.NewGaugeVec(
			prometheus.GaugeOpts{Name: familyName(f), Help: "A reading of a device."}, labelNames)
		registry.MustRegister(vector)
		for d := range labels {
			children[f] = append(children[f], vector.WithLabelValues(labels[d]...))
		}
	}
	measure("instruments", rounds, func(round int) {
		for f := range children {
			for d, child := range children[f] {
				child.Set(value(d, f, round))
			}
		}
	}, registry)

	if len(os.Args) > 2 {
		if err := os.WriteFile(os.Args[2], encode(registry), 0o644); err != nil {
			panic(err)
		}
	}

	const increments = 10_000_000
	counters := prometheus.NewCounterVec(
		prometheus.CounterOpts{Name: "benchmark_requests_total", Help: "Requests."}, []string{"handler", "code"})
	child := counters.WithLabelValues("metrics", "200")
	for _, threads := range []int{1, 2} {
		var times []float64
		for round := 0; round < 5; round++ {
			var group sync.WaitGroup
			start := time.Now()
			for t := 0; t < threads; t++ {
				group.Add(1)
				go func() {
					defer group.Done()
					for i := 0; i < increments; i++ {
						child.Inc()
					}
				}()
			}
			group.Wait()
			times = append(times, time.Since(start).Seconds())
		}
		fmt.Printf("increment-%d %.0f increments/s\n", threads, float64(threads*increments)/median(times))
	}
}
