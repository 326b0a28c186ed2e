// pulsar-client-go against a running server: the consumers of a failover subscription hear who is active.
//
//	usage: go run ./failover SERVICE_URL
//
// Prints a line per check; exits with 1 and one line at the first that fails.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/log"
)

const rounds = 20

func fail(format string, args ...any) {
	fmt.Printf("FAILED: "+format+"\n", args...)
	os.Exit(1)
}

func must(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

// Hears about one consumer.
type listener chan string

func (l listener) BecameActive(pulsar.Consumer, string, int32)   { l <- "active" }
func (l listener) BecameInactive(pulsar.Consumer, string, int32) { l <- "inactive" }

func (l listener) expect(ctx context.Context, who, want string) {
	select {
	case got := <-l:
		if got != want {
			fail("%s became %s, expected %s", who, got, want)
		}
	case <-ctx.Done():
		fail("%s never heard that it is %s", who, want)
	}
}

func subscribe(client pulsar.Client, topic, name string) (pulsar.Consumer, listener) {
	heard := make(listener, 10)
	consumer, err := client.Subscribe(pulsar.ConsumerOptions{
		Topic: topic, SubscriptionName: "s", Type: pulsar.Failover, Name: name, EventListener: heard})
	must(err, "subscribe")
	return consumer, heard
}

func round(ctx context.Context, client pulsar.Client, topic string) {
	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: topic})
	must(err, "create producer")
	first, firstHeard := subscribe(client, topic, "first")
	firstHeard.expect(ctx, "first", "active")
	second, secondHeard := subscribe(client, topic, "second")
	secondHeard.expect(ctx, "second", "inactive")
	_, err = producer.Send(ctx, &pulsar.ProducerMessage{Payload: []byte("m")})
	must(err, "send")
	_, err = first.Receive(ctx)
	must(err, "receive")
	first.Close()
	secondHeard.expect(ctx, "second", "active")
	_, err = second.Receive(ctx)
	must(err, "receive again")
	second.Close()
	producer.Close()
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	quiet := log.NewLoggerWithSlog(slog.New(slog.NewTextHandler(io.Discard, nil)))
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: os.Args[1], Logger: quiet})
	must(err, "client")
	for n := 0; n < rounds; n++ {
		round(ctx, client, fmt.Sprintf("failover-%d-%d", time.Now().UnixNano(), n))
	}
	client.Close()
	fmt.Printf("ok %d failovers\n", rounds)
	fmt.Println("all ok")
}
