// SPDX-License-Identifier: MIT

// clientpeer does the same work as WPClient with net/http and encoding/json: it logs in, reads the device list page by
// page, and decodes the numbers of every device. Numbers may be JSON numbers or strings, other values are treated as
// absent, and unknown fields are detected. Usage: clientpeer URL ROUNDS.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

// number is a JSON number, or a string that contains one.
type number struct {
	value   float64
	present bool
}

func (n *number) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		raw = bytes.Trim(raw[1:len(raw)-1], " ")
	}
	// Excludes "nan" and "inf", which ParseFloat accepts, and null, true, arrays and objects.
	if len(raw) == 0 || raw[0] > '9' {
		return nil
	}
	value, err := strconv.ParseFloat(string(raw), 64)
	*n = number{value, err == nil}
	return nil
}

// text is a string, or the digits of a number.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	switch {
	case raw[0] == '"' && bytes.IndexByte(raw, '\\') >= 0:
		return json.Unmarshal(raw, (*string)(t))
	case raw[0] == '"':
		*t = text(raw[1 : len(raw)-1])
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		*t = text(raw)
	}
	return nil
}

// ignored is a known field that is not used.
type ignored struct{}

func (ignored) UnmarshalJSON([]byte) error { return nil }

type page struct {
	Total       number   `json:"total"`
	PageSize    ignored  `json:"pageSize"`
	CurrentPage ignored  `json:"currentPage"`
	Code        text     `json:"code"`
	Msg         text     `json:"msg"`
	Data        []device `json:"data"`
}

type device struct {
	Asset struct {
		Id              text    `json:"id"`
		DeviceType      number  `json:"deviceType"`
		Model           text    `json:"model"`
		Alias           text    `json:"alias"`
		ProtocolId      number  `json:"protocolId"`
		AreaId          text    `json:"areaId"`
		FirmwareVersion text    `json:"firmwareVersion"`
		ConnectType     ignored `json:"connectType"`
		ComPort         ignored `json:"comPort"`
		BaudRate        ignored `json:"baudRate"`
		IsActive        ignored `json:"isActive"`
		CreateTime      ignored `json:"createTime"`
		WarrantyStatus  ignored `json:"warrantyStatus"`
	} `json:"assetDevice"`
	Realtime struct {
		InputVolt1           number `json:"inputVolt1"`
		InputVolt2           number `json:"inputVolt2"`
		InputVolt3           number `json:"inputVolt3"`
		InputFreq            number `json:"inputFreq"`
		InputTransformerType number `json:"inputTransformerType"`
		OutputVolt1          number `json:"outputVolt1"`
		OutputVolt2          number `json:"outputVolt2"`
		OutputVolt3          number `json:"outputVolt3"`
		OutputCurrent1       number `json:"outputCurrent1"`
		OutputCurrent2       number `json:"outputCurrent2"`
		OutputCurrent3       number `json:"outputCurrent3"`
		OutputFreq           number `json:"outputFreq"`
		OutputVoltageType    number `json:"outputVoltageType"`
		LoadPercent          number `json:"loadPercent"`
		LoadTotalWatt        number `json:"loadTotalWatt"`
		LoadTotalVa          number `json:"loadTotalVa"`
		LoadWatt1            number `json:"loadWatt1"`
		LoadWatt2            number `json:"loadWatt2"`
		LoadWatt3            number `json:"loadWatt3"`
		LoadVa1              number `json:"loadVa1"`
		LoadVa2              number `json:"loadVa2"`
		LoadVa3              number `json:"loadVa3"`
		IsCharging           number `json:"isCharging"`
		BatCapacity          number `json:"batCapacity"`
		BatRemainTime        number `json:"batRemainTime"`
		BatVoltP             number `json:"batVoltP"`
		BatteryStatus        number `json:"batteryStatus"`
		Mode                 number `json:"mode"`
		Status               number `json:"status"`
		TestStatus           number `json:"testStatus"`
		UpsTemperature       number `json:"upsTemperature"`
		FaultCode            text   `json:"faultCode"`
	} `json:"realtime"`
	Config struct {
		InputPhaseNumber     number  `json:"inputPhaseNumber"`
		OutputPhaseNumber    number  `json:"outputPhaseNumber"`
		RatingVa             number  `json:"ratingVa"`
		RatingVolt           number  `json:"ratingVolt"`
		RatingFreq           number  `json:"ratingFreq"`
		RatingBatVolt        number  `json:"ratingBatVolt"`
		RatingBatUnitNumber  ignored `json:"ratingBatUnitNumber"`
		RatingBatVoltPerUnit ignored `json:"ratingBatVoltPerUnit"`
		UpsModuleNumber      ignored `json:"upsModuleNumber"`
		InputSourceNumber    ignored `json:"inputSourceNumber"`
	} `json:"config"`
	Alarms    []json.RawMessage `json:"activeAlarms"`
	Connected bool              `json:"connected"`
	Setting   ignored           `json:"setting"`
	Controls  ignored           `json:"controlSupported"`
}

type reading struct {
	id, alias, model, firmware, area, fault text
	typ, protocol                           number
	alarms                                  int
	connected                               bool
	values                                  [37]number
}

func makeReading(d *device) reading {
	a, t, c := &d.Asset, &d.Realtime, &d.Config
	return reading{
		id: a.Id, alias: a.Alias, model: a.Model, firmware: a.FirmwareVersion, area: a.AreaId, fault: t.FaultCode,
		typ: a.DeviceType, protocol: a.ProtocolId, alarms: len(d.Alarms), connected: d.Connected,
		values: [...]number{
			t.LoadTotalWatt, t.InputVolt1, t.InputVolt2, t.InputVolt3, t.InputFreq, t.InputTransformerType,
			t.OutputVolt1, t.OutputVolt2, t.OutputVolt3, t.OutputCurrent1, t.OutputCurrent2, t.OutputCurrent3,
			t.OutputFreq, t.OutputVoltageType, t.LoadPercent, t.LoadTotalVa, t.LoadWatt1, t.LoadWatt2,
			t.LoadWatt3, t.LoadVa1, t.LoadVa2, t.LoadVa3, t.IsCharging, t.BatCapacity, t.BatRemainTime,
			t.BatVoltP, t.BatteryStatus, t.Mode, t.Status, t.TestStatus, t.UpsTemperature,
			c.InputPhaseNumber, c.OutputPhaseNumber, c.RatingVa, c.RatingVolt, c.RatingFreq, c.RatingBatVolt,
		},
	}
}

// decode accepts exactly one JSON text in UTF-8.
func decode(body []byte, strict bool, value any) error {
	if !utf8.Valid(body) {
		return errors.New("not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	if strict {
		// This only detects unknown fields; naming them would need a second pass.
		decoder.DisallowUnknownFields()
	}
	if err := decoder.Decode(value); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("unexpected text after the value")
	}
	return nil
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
	// Like WPClient, reads the complete reply before decoding it.
	reply, err := io.ReadAll(io.LimitReader(response.Body, 64<<20))
	if err != nil {
		return err
	}
	return decode(reply, token != "", value)
}

func read(client *http.Client, url, token string) ([]reading, error) {
	var readings []reading
	places := map[text]int{}
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
		if float64(len(readings)) >= page.Total.value {
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
		watts += readings[index].values[0].value
	}
	fmt.Printf("devices %d %v\n", len(readings), watts)
	_, peak := usage()
	fmt.Printf("peak_kib %d\n", peak)
}
