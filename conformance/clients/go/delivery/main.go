// pulsar-client-go against a running server: how messages reach consumers. Topics whose messages are not kept; what comes again,
// and dead letters.
//
//	usage: go run ./delivery SERVICE_URL HTTP_URL
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
	"strings"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/log"
)

func fail(format string, args ...any) {
	fmt.Printf("FAILED: "+format+"\n", args...)
	os.Exit(1)
}

func must(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func send(ctx context.Context, producer pulsar.Producer, key, body string) pulsar.MessageID {
	id, err := producer.Send(ctx, &pulsar.ProducerMessage{Key: key, Payload: []byte(body)})
	must(err, "send")
	return id
}

func receive(ctx context.Context, consumer pulsar.Consumer) pulsar.Message {
	message, err := consumer.Receive(ctx)
	must(err, "receive")
	return message
}

// Returns when the consumer gets what is sent: it asks for permits in the background.
func hear(ctx context.Context, producer pulsar.Producer, consumer pulsar.Consumer) {
	for ctx.Err() == nil {
		for n := 0; n < 10; n++ {
			send(ctx, producer, fmt.Sprint("k", n), "probe")
		}
		soon, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		_, err := consumer.Receive(soon)
		cancel()
		if err == nil {
			return
		}
	}
	fail("a consumer of a non-persistent topic hears nothing")
}

// All kinds of subscription get what is sent while they are there, also of a topic with partitions.
func nonPersistent(ctx context.Context, client pulsar.Client, url, topic string, partitions int) {
	name := "non-persistent://public/default/" + topic
	if partitions > 0 {
		path := url + "/admin/v2/non-persistent/public/default/" + topic + "/partitions"
		request, err := http.NewRequest("PUT", path, strings.NewReader(fmt.Sprint(partitions)))
		must(err, "request")
		request.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(request)
		must(err, "create partitions")
		if answer.StatusCode != http.StatusNoContent {
			fail("creating partitions answers %d", answer.StatusCode)
		}
	}
	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: name, DisableBatching: true})
	must(err, "create producer")
	send(ctx, producer, "k", "nobody is there")
	kinds := []pulsar.SubscriptionType{pulsar.Exclusive, pulsar.Failover, pulsar.Shared, pulsar.KeyShared}
	var consumers []pulsar.Consumer
	for _, kind := range kinds {
		consumer, err := client.Subscribe(pulsar.ConsumerOptions{
			Topic: name, SubscriptionName: fmt.Sprint("s", kind), Type: kind,
			// this client drops a message whose id it is about to acknowledge, and all of such a topic have one id
			AckGroupingOptions:          &pulsar.AckGroupingOptions{MaxSize: 1},
			SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest})
		must(err, "subscribe")
		consumers = append(consumers, consumer)
	}
	for _, consumer := range consumers {
		hear(ctx, producer, consumer)
	}
	for n := 0; n < 20; n++ {
		send(ctx, producer, fmt.Sprint("k", n), fmt.Sprint("m", n))
	}
	for i, consumer := range consumers {
		got := map[string]bool{}
		for len(got) < 20 {
			message := receive(ctx, consumer)
			if string(message.Payload()) == "nobody is there" {
				fail("subscription %d got what was sent before it", i)
			}
			if string(message.Payload()) != "probe" {
				got[string(message.Payload())] = true
			}
			must(consumer.Ack(message), "ack")
		}
		consumer.Close()
	}
	producer.Close()
	fmt.Printf("ok non-persistent topic with %d partitions\n", partitions)
}

// A message that is refused comes again, the third time in the dead letter topic.
func deadLetters(ctx context.Context, client pulsar.Client, topic string) {
	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: topic})
	must(err, "create producer")
	consumer, err := client.Subscribe(pulsar.ConsumerOptions{
		Topic: topic, SubscriptionName: "s", Type: pulsar.Shared, NackRedeliveryDelay: 100 * time.Millisecond,
		DLQ: &pulsar.DLQPolicy{MaxDeliveries: 2, DeadLetterTopic: topic + "-dead", InitialSubscriptionName: "letters"}})
	must(err, "subscribe")
	send(ctx, producer, "k", "refused")
	for n := uint32(0); n < 2; n++ {
		message := receive(ctx, consumer)
		if message.RedeliveryCount() != n {
			fail("delivery %d has the redelivery count %d", n, message.RedeliveryCount())
		}
		consumer.Nack(message)
	}
	// the client sends it there when it would deliver it a third time
	letters, err := client.Subscribe(pulsar.ConsumerOptions{
		Topic: topic + "-dead", SubscriptionName: "letters", SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest})
	must(err, "subscribe to dead letters")
	letter := receive(ctx, letters)
	if string(letter.Payload()) != "refused" {
		fail("the dead letter is %q", letter.Payload())
	}
	must(letters.Ack(letter), "ack")
	letters.Close()
	consumer.Close()
	producer.Close()
	fmt.Println("ok dead letters")
}

// A message that is put off comes from the retry topic.
func retries(ctx context.Context, client pulsar.Client, topic string) {
	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: topic})
	must(err, "create producer")
	consumer, err := client.Subscribe(pulsar.ConsumerOptions{
		Topic: topic, SubscriptionName: "s", Type: pulsar.Shared, RetryEnable: true,
		DLQ: &pulsar.DLQPolicy{MaxDeliveries: 5, RetryLetterTopic: topic + "-again", DeadLetterTopic: topic + "-dead"}})
	must(err, "subscribe")
	send(ctx, producer, "k", "later")
	consumer.ReconsumeLater(receive(ctx, consumer), 100*time.Millisecond)
	again := receive(ctx, consumer)
	if !strings.HasSuffix(again.Topic(), topic+"-again") || string(again.Payload()) != "later" {
		fail("%q came again from %s", again.Payload(), again.Topic())
	}
	must(consumer.Ack(again), "ack")
	consumer.Close()
	producer.Close()
	fmt.Println("ok retries")
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	quiet := log.NewLoggerWithSlog(slog.New(slog.NewTextHandler(io.Discard, nil)))
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: os.Args[1], Logger: quiet})
	must(err, "client")
	at := time.Now().UnixNano()
	nonPersistent(ctx, client, os.Args[2], fmt.Sprint("go-np-", at), 0)
	nonPersistent(ctx, client, os.Args[2], fmt.Sprint("go-np-p-", at), 3)
	deadLetters(ctx, client, fmt.Sprint("go-refused-", at))
	retries(ctx, client, fmt.Sprint("go-later-", at))
	client.Close()
	fmt.Println("all ok")
}
