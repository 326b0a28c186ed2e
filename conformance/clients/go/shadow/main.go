// pulsar-client-go against a running server: a shadow topic has the messages of its source with their ids, and takes none.
//
//	usage: go run ./shadow SERVICE_URL ADMIN_URL
//
// Prints a line per check; exits with 1 and one line at the first that fails.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/log"
)

const (
	source = "persistent://public/default/go-source"
	shadow = "persistent://public/default/go-shadow"
	count  = 10
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

func put(ctx context.Context, url, body string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(body))
	must(err, "request")
	request.Header.Set("content-type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	must(err, "put")
	answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		fail("PUT %s: %s", url, answer.Status)
	}
}

func produce(ctx context.Context, client pulsar.Client, first, last int) [][]byte {
	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: source, DisableBatching: true})
	must(err, "create producer")
	defer producer.Close()
	var ids [][]byte
	for n := first; n < last; n++ {
		id, err := producer.Send(ctx, &pulsar.ProducerMessage{Payload: []byte(fmt.Sprint(n)), Key: fmt.Sprint(n)})
		must(err, "send")
		ids = append(ids, id.Serialize())
	}
	return ids
}

func expect(what string, got, sent [][]byte) {
	for i, id := range sent {
		if !bytes.Equal(got[i], id) {
			fail("%s: message %d has the id %x in place of %x", what, i, got[i], id)
		}
	}
	fmt.Println("ok", what)
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	topics := os.Args[2] + "/admin/v2/persistent/public/default/"
	put(ctx, topics+"go-source", "")
	put(ctx, topics+"go-shadow", `{"PULSAR.SHADOW_SOURCE": "`+source+`"}`)
	quiet := log.NewLoggerWithSlog(slog.New(slog.DiscardHandler))
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: os.Args[1], Logger: quiet})
	must(err, "connect")
	defer client.Close()

	sent := produce(ctx, client, 0, count/2)
	types := map[string]pulsar.SubscriptionType{
		"exclusive": pulsar.Exclusive, "failover": pulsar.Failover, "shared": pulsar.Shared, "key_shared": pulsar.KeyShared}
	consumers := make(map[string]pulsar.Consumer)
	for name, kind := range types {
		consumers[name], err = client.Subscribe(pulsar.ConsumerOptions{Topic: shadow, SubscriptionName: name, Type: kind,
			SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest})
		must(err, "subscribe")
	}
	sent = append(sent, produce(ctx, client, count/2, count)...)
	for name, consumer := range consumers {
		var got [][]byte
		for len(got) < count {
			message, err := consumer.Receive(ctx)
			must(err, "receive")
			must(consumer.Ack(message), "acknowledge")
			got = append(got, message.ID().Serialize())
		}
		expect(name, got, sent)
		consumer.Close()
	}

	reader, err := client.CreateReader(pulsar.ReaderOptions{Topic: shadow, StartMessageID: pulsar.EarliestMessageID()})
	must(err, "create reader")
	var got [][]byte
	for reader.HasNext() {
		message, err := reader.Next(ctx)
		must(err, "read")
		got = append(got, message.ID().Serialize())
	}
	reader.Close()
	if len(got) != count {
		fail("the reader got %d messages", len(got))
	}
	expect("reader", got, sent)

	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: shadow, SendTimeout: 5 * time.Second})
	must(err, "create producer of the shadow topic")
	if _, err = producer.Send(ctx, &pulsar.ProducerMessage{Payload: []byte("no")}); err == nil {
		fail("a shadow topic took a message")
	}
	fmt.Println("ok refused:", err)
	producer.Close()
	fmt.Println("all ok")
}
