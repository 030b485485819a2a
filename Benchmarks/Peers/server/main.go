// SPDX-License-Identifier: MIT

// Serves the families of an exposition with client_golang and promhttp, like an exporter in Go: const metrics created at
// each scrape, client_golang's own process collector, and metrics of the server's own requests.
//
// Arguments: a file with the exposition.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

type family struct {
	desc    *prometheus.Desc
	kind    dto.MetricType
	metrics []*dto.Metric
}

type collector struct{ families []family }

func (c collector) Describe(descs chan<- *prometheus.Desc) {
	for _, f := range c.families {
		descs <- f.desc
	}
}

func (c collector) Collect(metrics chan<- prometheus.Metric) {
	for _, f := range c.families {
		for _, m := range f.metrics {
			values := make([]string, len(m.Label))
			for i, pair := range m.Label {
				values[i] = pair.GetValue()
			}
			switch f.kind {
			case dto.MetricType_COUNTER:
				metrics <- prometheus.MustNewConstMetric(f.desc, prometheus.CounterValue, m.Counter.GetValue(), values...)
			case dto.MetricType_GAUGE:
				metrics <- prometheus.MustNewConstMetric(f.desc, prometheus.GaugeValue, m.Gauge.GetValue(), values...)
			case dto.MetricType_HISTOGRAM:
				buckets := map[float64]uint64{}
				for _, bucket := range m.Histogram.Bucket {
					buckets[bucket.GetUpperBound()] = bucket.GetCumulativeCount()
				}
				metrics <- prometheus.MustNewConstHistogram(
					f.desc, m.Histogram.GetSampleCount(), m.Histogram.GetSampleSum(), buckets, values...)
			}
		}
	}
}

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var parser expfmt.TextParser
	parsed, err := parser.TextToMetricFamilies(file)
	if err != nil {
		log.Fatal(err)
	}
	var found collector
	for name, f := range parsed {
		if strings.HasPrefix(name, "process_") || strings.HasPrefix(name, "winpower_exporter_request") {
			continue
		}
		var labels []string
		for _, pair := range f.Metric[0].Label {
			labels = append(labels, pair.GetName())
		}
		found.families = append(found.families, family{
			prometheus.NewDesc(name, f.GetHelp(), labels, nil), f.GetType(), f.Metric,
		})
	}
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "winpower_exporter_requests_total", Help: "HTTP requests answered, by handler and status.",
	}, []string{"handler", "code"})
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "winpower_exporter_request_duration_seconds",
		Help:    "Time that it took to answer an HTTP request.",
		Buckets: []float64{0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1},
	}, []string{"handler"})
	requests.WithLabelValues("metrics", "500")
	requests.WithLabelValues("health", "200")
	durations.WithLabelValues("health")
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		found, requests, durations, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	counted, timed := requests.WithLabelValues("metrics", "200"), durations.WithLabelValues("metrics")
	http.HandleFunc("/metrics", func(writer http.ResponseWriter, request *http.Request) {
		began := time.Now()
		handler.ServeHTTP(writer, request)
		counted.Inc()
		timed.Observe(time.Since(began).Seconds())
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}
