// pulsar-client-go against a running server: a topic that gets more partitions loses no message of a subscription.
//
//	usage: go run ./growing SERVICE_URL ADMIN_URL
//
// Prints a line per check; exits with 1 and one line at the first that fails.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/log"
)

const perRound = 12

func fail(format string, args ...any) {
	fmt.Printf("FAILED: "+format+"\n", args...)
	os.Exit(1)
}

func must(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func partitions(ctx context.Context, method, page string, count int) {
	request, err := http.NewRequestWithContext(ctx, method, page, strings.NewReader(fmt.Sprint(count)))
	must(err, "request")
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	must(err, "number of partitions")
	answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		fail("%d partitions: %s", count, answer.Status)
	}
}

// From the latest message on.
func subscribe(client pulsar.Client, topic, name string) pulsar.Consumer {
	every := time.Second
	consumer, err := client.Subscribe(pulsar.ConsumerOptions{
		Topic: topic, SubscriptionName: name, Type: pulsar.Shared, AutoDiscoveryPeriod: every})
	must(err, "subscribe")
	return consumer
}

// By a producer that knows the topic as it is now, to all its partitions.
func send(ctx context.Context, client pulsar.Client, topic string, count int) {
	next := 0
	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: topic, DisableBatching: true,
		MessageRouter: func(_ *pulsar.ProducerMessage, of pulsar.TopicMetadata) int {
			next++
			return next % int(of.NumPartitions())
		}})
	must(err, "create producer")
	for n := 0; n < count; n++ {
		_, err = producer.Send(ctx, &pulsar.ProducerMessage{Payload: []byte("m")})
		must(err, "send")
	}
	producer.Close()
}

// The client hands out messages of a partition that was added a moment before it can acknowledge them.
func acknowledge(ctx context.Context, consumer pulsar.Consumer, message pulsar.Message) error {
	for {
		early, err := tryAcknowledge(consumer, message)
		if !early || ctx.Err() != nil {
			return err
		}
		runtime.Gosched()
	}
}

func tryAcknowledge(consumer pulsar.Consumer, message pulsar.Message) (early bool, err error) {
	defer func() {
		if recover() != nil {
			early, err = true, fmt.Errorf("the consumer of the partition is not there")
		}
	}()
	return false, consumer.Ack(message)
}

func expect(ctx context.Context, what string, consumer pulsar.Consumer, count int) {
	for n := 0; n < count; n++ {
		message, err := consumer.Receive(ctx)
		if err != nil {
			fail("%s: %d of %d arrived: %v", what, n, count, err)
		}
		must(acknowledge(ctx, consumer, message), "acknowledge")
	}
	consumer.Close()
	fmt.Println("ok", what)
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	quiet := log.NewLoggerWithSlog(slog.New(slog.NewTextHandler(io.Discard, nil)))
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: os.Args[1], Logger: quiet})
	must(err, "client")
	name := fmt.Sprintf("growing-%d", time.Now().UnixNano())
	topic := "persistent://public/default/" + name
	page := os.Args[2] + "/admin/v2/persistent/public/default/" + name + "/partitions"
	partitions(ctx, http.MethodPut, page, 1)
	subscribe(client, topic, "away").Close()
	attached := subscribe(client, topic, "attached")
	for count := 2; count <= 4; count++ {
		partitions(ctx, http.MethodPost, page, count)
		send(ctx, client, topic, perRound)
	}
	expect(ctx, "a consumer that is attached throughout", attached, 3*perRound)
	expect(ctx, "a consumer that comes back", subscribe(client, topic, "away"), 3*perRound)
	client.Close()
	fmt.Println("all ok")
}
