// Sends delayed messages, or receives them by a subscription of its own: each once, those that this sent not before their time.
//
//	usage: delayed send|receive SERVICE_URL TOPIC FROM TO TIME_MILLIS
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/log"
)

func must(err error, what string) {
	if err != nil {
		fmt.Printf("FAILED: %s: %v\n", what, err)
		os.Exit(1)
	}
}

func check(right bool, format string, args ...any) {
	if !right {
		must(fmt.Errorf(format, args...), "delayed")
	}
}

func number(text string) int64 {
	value, err := strconv.ParseInt(text, 10, 64)
	must(err, "a number")
	return value
}

func subscribe(client pulsar.Client, topic string) pulsar.Consumer {
	consumer, err := client.Subscribe(pulsar.ConsumerOptions{Topic: topic, SubscriptionName: "go", Type: pulsar.Shared,
		SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest})
	must(err, "subscribe")
	return consumer
}

func send(client pulsar.Client, topic string, first, last, due int64) {
	subscribe(client, topic).Close()
	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: topic})
	must(err, "producer")
	defer producer.Close()
	for n := first; n < last; n++ {
		message := pulsar.ProducerMessage{Payload: []byte(fmt.Sprint(n)), Key: fmt.Sprint(n),
			Properties: map[string]string{"due": fmt.Sprint(due)}, DeliverAt: time.UnixMilli(due)}
		producer.SendAsync(context.Background(), &message, func(_ pulsar.MessageID, _ *pulsar.ProducerMessage, err error) { must(err, "send") })
	}
	must(producer.Flush(), "flush")
}

func receive(client pulsar.Client, topic string, first, last, due int64) {
	consumer := subscribe(client, topic)
	defer consumer.Close()
	seen := map[int64]bool{}
	for int64(len(seen)) < last-first {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		message, err := consumer.Receive(ctx)
		cancel()
		must(err, fmt.Sprintf("%d of %d arrived", len(seen), last-first))
		n := number(string(message.Payload()))
		check(first <= n && n < last && !seen[n], "%d is unexpected, or came twice", n)
		seen[n] = true
		if mine, ok := message.Properties()["due"]; ok {
			check(time.Now().UnixMilli() >= number(mine), "%d came too early", n)
		}
		must(consumer.Ack(message), "acknowledge")
	}
	check(time.Now().UnixMilli() >= due, "they came too early")
}

func main() {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: os.Args[2], Logger: log.NewLoggerWithSlog(quiet)})
	must(err, "client")
	defer client.Close()
	work := receive
	if os.Args[1] == "send" {
		work = send
	}
	work(client, os.Args[3], number(os.Args[4]), number(os.Args[5]), number(os.Args[6]))
	fmt.Println("all ok")
}
