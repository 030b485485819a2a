// SPDX-License-Identifier: MIT

// Queries the exporter with Go's net/http, which Prometheus uses for scrapes, and prints the results as JSON.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync"
	"time"
)

type report struct {
	Protocol    string `json:"protocol"`
	TLSVersion  string `json:"tls_version"`
	ALPN        string `json:"alpn"`
	Statuses    []int  `json:"statuses"`
	Connections int    `json:"connections"`
	HeadLength  int64  `json:"head_length"`
	HeadBody    int    `json:"head_body"`
	GetLength   int    `json:"get_length"`
	Chunked     int    `json:"chunked_status"`
	Expect      int    `json:"expect_status"`
	Parallel    int    `json:"parallel_ok"`
}

var (
	url      = flag.String("url", "", "where to get from")
	ca       = flag.String("ca", "", "the authorities to trust")
	user     = flag.String("user", "", "the user's name")
	password = flag.String("password", "", "the user's password")
	bearer   = flag.String("bearer", "", "the bearer token")
)

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func client() *http.Client {
	config := &tls.Config{}
	if *ca != "" {
		pem, err := os.ReadFile(*ca)
		fail(err)
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			fail(fmt.Errorf("no certificate in %s", *ca))
		}
	}
	transport := &http.Transport{
		TLSClientConfig: config, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 16, ExpectContinueTimeout: 5 * time.Second,
	}
	return &http.Client{Transport: transport, Timeout: 20 * time.Second}
}

// One exchange; the body is read to its end, so that the connection can be reused.
func do(c *http.Client, method string, body io.Reader, change func(*http.Request)) (*http.Response, []byte) {
	request, err := http.NewRequest(method, *url, body)
	fail(err)
	if *user != "" {
		request.SetBasicAuth(*user, *password)
	}
	if *bearer != "" {
		request.Header.Set("Authorization", "Bearer "+*bearer)
	}
	if change != nil {
		change(request)
	}
	response, err := c.Do(request)
	fail(err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	fail(err)
	return response, content
}

func main() {
	flag.Parse()
	c := client()
	var seen report
	count := func(r *http.Request) {
		trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
			if !info.Reused {
				seen.Connections++
			}
		}}
		*r = *r.WithContext(httptrace.WithClientTrace(r.Context(), trace))
	}
	for i := 0; i < 20; i++ {
		response, body := do(c, "GET", nil, count)
		seen.Statuses = append(seen.Statuses, response.StatusCode)
		seen.Protocol, seen.GetLength = response.Proto, len(body)
		if response.TLS != nil {
			seen.ALPN = response.TLS.NegotiatedProtocol
			seen.TLSVersion = map[uint16]string{tls.VersionTLS12: "1.2", tls.VersionTLS13: "1.3"}[response.TLS.Version]
		}
	}
	head, body := do(c, "HEAD", nil, func(r *http.Request) { r.Header.Set("Accept-Encoding", "identity") })
	seen.HeadLength, seen.HeadBody = head.ContentLength, len(body)

	// A reader of unknown length is sent in chunks.
	chunked, _ := do(c, "POST", io.MultiReader(strings.NewReader("a=1"), strings.NewReader("&b=2")), nil)
	seen.Chunked = chunked.StatusCode
	expecting, _ := do(c, "POST", bytes.NewReader(make([]byte, 100_000)), func(r *http.Request) {
		r.Header.Set("Expect", "100-continue")
	})
	seen.Expect = expecting.StatusCode

	var group sync.WaitGroup
	results := make(chan bool, 400)
	for worker := 0; worker < 8; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := 0; i < 50; i++ {
				response, _ := do(c, "GET", nil, nil)
				results <- response.StatusCode == 200
			}
		}()
	}
	group.Wait()
	close(results)
	for ok := range results {
		if ok {
			seen.Parallel++
		}
	}
	fail(json.NewEncoder(os.Stdout).Encode(seen))
}
