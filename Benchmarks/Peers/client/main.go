// SPDX-License-Identifier: MIT

// clientpeer does with net/http and encoding/json what WPClient does: it logs in, reads the device list page by page,
// and turns every device into numbers. Usage: clientpeer URL ROUNDS.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

type page struct {
	Total int      `json:"total"`
	Code  string   `json:"code"`
	Msg   string   `json:"msg"`
	Data  []device `json:"data"`
}

type device struct {
	Asset struct {
		ID              string `json:"id"`
		Type            int    `json:"deviceType"`
		Model           string `json:"model"`
		Alias           string `json:"alias"`
		ProtocolID      int    `json:"protocolId"`
		AreaID          string `json:"areaId"`
		FirmwareVersion string `json:"firmwareVersion"`
	} `json:"assetDevice"`
	Realtime struct {
		InputVolt1      string `json:"inputVolt1"`
		InputVolt2      string `json:"inputVolt2"`
		InputVolt3      string `json:"inputVolt3"`
		InputFreq       string `json:"inputFreq"`
		TransformerType string `json:"inputTransformerType"`
		OutputVolt1     string `json:"outputVolt1"`
		OutputVolt2     string `json:"outputVolt2"`
		OutputVolt3     string `json:"outputVolt3"`
		OutputCurrent1  string `json:"outputCurrent1"`
		OutputCurrent2  string `json:"outputCurrent2"`
		OutputCurrent3  string `json:"outputCurrent3"`
		OutputFreq      string `json:"outputFreq"`
		OutputType      string `json:"outputVoltageType"`
		LoadPercent     string `json:"loadPercent"`
		LoadTotalWatt   string `json:"loadTotalWatt"`
		LoadTotalVa     string `json:"loadTotalVa"`
		LoadWatt1       string `json:"loadWatt1"`
		LoadWatt2       string `json:"loadWatt2"`
		LoadWatt3       string `json:"loadWatt3"`
		LoadVa1         string `json:"loadVa1"`
		LoadVa2         string `json:"loadVa2"`
		LoadVa3         string `json:"loadVa3"`
		IsCharging      string `json:"isCharging"`
		BatCapacity     string `json:"batCapacity"`
		BatRemainTime   string `json:"batRemainTime"`
		BatVoltP        string `json:"batVoltP"`
		BatteryStatus   string `json:"batteryStatus"`
		Mode            string `json:"mode"`
		Status          string `json:"status"`
		TestStatus      string `json:"testStatus"`
		UpsTemperature  string `json:"upsTemperature"`
		FaultCode       string `json:"faultCode"`
	} `json:"realtime"`
	Config struct {
		InputPhaseNumber  string `json:"inputPhaseNumber"`
		OutputPhaseNumber string `json:"outputPhaseNumber"`
		RatingVa          string `json:"ratingVa"`
		RatingVolt        string `json:"ratingVolt"`
		RatingFreq        string `json:"ratingFreq"`
		RatingBatVolt     string `json:"ratingBatVolt"`
	} `json:"config"`
	Alarms    []json.RawMessage `json:"activeAlarms"`
	Connected bool              `json:"connected"`
}

// reading has a value and whether there is one for each number.
type reading struct {
	id, alias, model, firmware, area, fault string
	typ, protocol, alarms                   int
	values                                  [37]float64
	present                                 uint64
	connected                               bool
}

func (r *reading) set(index int, text string) {
	if text == "" {
		return
	}
	if value, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
		r.values[index] = value
		r.present |= 1 << index
	}
}

func makeReading(d *device) reading {
	r := reading{
		id: d.Asset.ID, alias: d.Asset.Alias, model: d.Asset.Model, firmware: d.Asset.FirmwareVersion,
		area: d.Asset.AreaID, fault: d.Realtime.FaultCode, typ: d.Asset.Type, protocol: d.Asset.ProtocolID,
		alarms: len(d.Alarms), connected: d.Connected,
	}
	t, c := &d.Realtime, &d.Config
	for index, text := range [...]string{
		t.LoadTotalWatt, t.InputVolt1, t.InputVolt2, t.InputVolt3, t.InputFreq, t.TransformerType, t.OutputVolt1,
		t.OutputVolt2, t.OutputVolt3, t.OutputCurrent1, t.OutputCurrent2, t.OutputCurrent3, t.OutputFreq,
		t.OutputType, t.LoadPercent, t.LoadTotalVa, t.LoadWatt1, t.LoadWatt2, t.LoadWatt3, t.LoadVa1, t.LoadVa2,
		t.LoadVa3, t.IsCharging, t.BatCapacity, t.BatRemainTime, t.BatVoltP, t.BatteryStatus, t.Mode, t.Status,
		t.TestStatus, t.UpsTemperature, c.InputPhaseNumber, c.OutputPhaseNumber, c.RatingVa, c.RatingVolt,
		c.RatingFreq, c.RatingBatVolt,
	} {
		r.set(index, text)
	}
	return r
}

func exchange(client *http.Client, method, url, token, body string, value any) error {
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json, text/plain, */*")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	} else {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	// Whole, like WPClient: nothing counts before the end of the reply.
	bytes, err := io.ReadAll(io.LimitReader(response.Body, 64<<20))
	if err != nil {
		return err
	}
	return json.Unmarshal(bytes, value)
}

func read(client *http.Client, url, token string) ([]reading, error) {
	var readings []reading
	places := map[string]int{}
	for number := 1; ; number++ {
		target := fmt.Sprintf("%s/api/v1/deviceData/detail/list?current=%d&pageSize=100"+
			"&areaId=00000000-0000-0000-0000-000000000000&includeSubArea=true&pageNum=%d", url, number, number)
		var page page
		if err := exchange(client, "GET", target, token, "", &page); err != nil {
			return nil, err
		}
		if page.Code != "000000" || len(page.Data) == 0 {
			return nil, fmt.Errorf("code %s: %s", page.Code, page.Msg)
		}
		for index := range page.Data {
			reading := makeReading(&page.Data[index])
			if place, known := places[reading.id]; known {
				readings[place] = reading
				continue
			}
			places[reading.id] = len(readings)
			readings = append(readings, reading)
		}
		if len(readings) >= page.Total {
			return readings, nil
		}
	}
}

func usage() (cpu float64, peak int64) {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	milliseconds := func(t syscall.Timeval) float64 { return float64(t.Sec)*1000 + float64(t.Usec)/1000 }
	return milliseconds(usage.Utime) + milliseconds(usage.Stime), usage.Maxrss
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: clientpeer URL ROUNDS")
		os.Exit(2)
	}
	rounds, _ := strconv.Atoi(os.Args[2])
	client := &http.Client{Timeout: 10 * time.Second}
	var login struct {
		Data struct {
			Token string `json:"token"`
		} `json:"data"`
	}
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	check(exchange(client, "POST", os.Args[1]+"/api/v1/auth/login", "",
		`{"username":"admin","password":"admin"}`, &login))
	var readings []reading
	for round := -3; round < rounds; round++ {
		start := time.Now()
		before, _ := usage()
		var err error
		readings, err = read(client, os.Args[1], login.Data.Token)
		check(err)
		wall := time.Since(start)
		after, _ := usage()
		if round >= 0 {
			fmt.Printf("round %f %f\n", float64(wall)/1e6, after-before)
		}
	}
	watts := 0.0
	for index := range readings {
		watts += readings[index].values[0]
	}
	fmt.Printf("devices %d %v\n", len(readings), watts)
	_, peak := usage()
	fmt.Printf("peak_kib %d\n", peak)
}
