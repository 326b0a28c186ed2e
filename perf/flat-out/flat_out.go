// One Pulsar client that publishes and reads one topic flat out. Prints rates and the longest pauses.
//
// usage: flat-out URL SIZE batched|single SECONDS
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/log"
)

// pace counts events and keeps the longest time without one. One goroutine at a time.
type pace struct {
	count   atomic.Int64
	longest time.Duration
	last    time.Time
}

func (p *pace) event() {
	now := time.Now()
	p.longest = max(p.longest, now.Sub(p.last))
	p.last = now
	p.count.Add(1)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	size, err := strconv.Atoi(os.Args[2])
	check(err)
	seconds, err := strconv.ParseFloat(os.Args[4], 64)
	check(err)
	quiet := log.NewLoggerWithSlog(slog.New(slog.NewTextHandler(io.Discard, nil)))
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: os.Args[1], Logger: quiet})
	check(err)
	defer client.Close()
	topic := fmt.Sprintf("flat-out-go-%d", time.Now().UnixNano())
	consumer, err := client.Subscribe(pulsar.ConsumerOptions{Topic: topic, SubscriptionName: "s",
		SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest})
	check(err)
	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: topic, DisableBatching: os.Args[3] != "batched",
		BatchingMaxPublishDelay: time.Millisecond})
	check(err)
	value := make([]byte, size)
	background := context.Background()
	for warmUp := time.Now().Add(2 * time.Second); time.Now().Before(warmUp); {
		_, err = producer.Send(background, &pulsar.ProducerMessage{Payload: value})
		check(err)
		message, err := consumer.Receive(background)
		check(err)
		check(consumer.Ack(message))
	}
	begin := time.Now()
	receipts := pace{last: begin}
	deliveries := pace{last: begin}
	var failed atomic.Value
	reading, stop := context.WithCancel(background)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			message, err := consumer.Receive(reading)
			if err != nil {
				return
			}
			deliveries.event()
			_ = consumer.Ack(message)
		}
	}()
	for end := begin.Add(time.Duration(seconds * float64(time.Second))); time.Now().Before(end); {
		producer.SendAsync(background, &pulsar.ProducerMessage{Payload: value},
			func(_ pulsar.MessageID, _ *pulsar.ProducerMessage, err error) {
				receipts.event()
				if err != nil {
					failed.Store(err)
				}
			})
	}
	published := float64(receipts.count.Load()) / seconds
	read := float64(deliveries.count.Load()) / seconds
	check(producer.Flush())
	stop()
	<-done
	// what is without an event until now is a pause, too
	receipts.longest = max(receipts.longest, time.Since(receipts.last))
	fmt.Printf("go %s %s published/s %.0f read/s %.0f longest pause: receipts %.2f s deliveries %.2f s", os.Args[2], os.Args[3],
		published, read, receipts.longest.Seconds(), deliveries.longest.Seconds())
	if err := failed.Load(); err != nil {
		fmt.Printf(" FAILED %v", err)
	}
	fmt.Println()
}
