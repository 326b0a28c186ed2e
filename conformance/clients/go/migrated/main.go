// pulsar-client-go beside cluster migration: a producer and a consumer that were told the old cluster's address go to the new one.
//
//	usage: go run ./migrated OLD_URL NEW_URL OLD_HTTP NAMESPACE
//
// NAMESPACE, which is there in both clusters, is marked as migrated; where the old cluster's clients go is known there. Prints "all ok" at the
// end, or exits with 1 and one line.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
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

func connect(url string) pulsar.Client {
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: url})
	must(err, "client")
	return client
}

func mark(address, namespace string) {
	answer, err := http.Post(address+"/admin/v2/namespaces/"+namespace+"/migration", "application/json", strings.NewReader("true"))
	must(err, "mark")
	answer.Body.Close()
	if answer.StatusCode >= 300 {
		fail("the namespace was not marked: %s", answer.Status)
	}
}

// Waits until the topic has no producer in the old cluster.
func awaitGone(ctx context.Context, address, namespace string) {
	for {
		answer, err := http.Get(address + "/admin/v2/persistent/" + namespace + "/go/stats")
		must(err, "stats")
		var stats struct{ Publishers []json.RawMessage }
		must(json.NewDecoder(answer.Body).Decode(&stats), "stats")
		answer.Body.Close()
		if len(stats.Publishers) == 0 {
			return
		}
		must(ctx.Err(), "the producer stays")
		time.Sleep(100 * time.Millisecond)
	}
}

func subscribe(client pulsar.Client, topic string) pulsar.Consumer {
	consumer, err := client.Subscribe(pulsar.ConsumerOptions{
		Topic:                       topic,
		SubscriptionName:            "s",
		SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest,
	})
	must(err, "consumer")
	return consumer
}

func send(ctx context.Context, producer pulsar.Producer, from, to int) {
	for n := from; n < to; n++ {
		_, err := producer.Send(ctx, &pulsar.ProducerMessage{Payload: fmt.Appendf(nil, "m%d", n), Key: "k"})
		must(err, fmt.Sprint("send of ", n))
	}
}

func receive(ctx context.Context, consumer pulsar.Consumer, from, to int) []pulsar.Message {
	var all []pulsar.Message
	for n := from; n < to; n++ {
		message, err := consumer.Receive(ctx)
		must(err, fmt.Sprint("receive of ", n))
		if got := string(message.Payload()); got != fmt.Sprint("m", n) {
			fail("m%d is %s", n, got)
		}
		all = append(all, message)
	}
	return all
}

func acknowledge(consumer pulsar.Consumer, messages []pulsar.Message) {
	for _, each := range messages {
		must(consumer.Ack(each), "acknowledge")
	}
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	oldURL, newURL, address, namespace := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	topic := "persistent://" + namespace + "/go"
	old, there := connect(oldURL), connect(newURL)
	subscribe(there, topic).Close()
	producer, err := old.CreateProducer(pulsar.ProducerOptions{Topic: topic})
	must(err, "producer")
	consumer := subscribe(old, topic)
	send(ctx, producer, 0, 10)
	acknowledge(consumer, receive(ctx, consumer, 0, 10))
	send(ctx, producer, 10, 15)
	held := receive(ctx, consumer, 10, 15)
	mark(address, namespace)
	awaitGone(ctx, address, namespace)
	send(ctx, producer, 15, 25)
	waiting, stop := context.WithTimeout(ctx, time.Second)
	if message, err := consumer.Receive(waiting); err == nil {
		fail("nothing was to come, and it is %s", message.Payload())
	}
	stop()
	acknowledge(consumer, held)
	acknowledge(consumer, receive(ctx, consumer, 15, 25))
	reader, err := there.CreateReader(pulsar.ReaderOptions{Topic: topic, StartMessageID: pulsar.EarliestMessageID()})
	must(err, "reader")
	first, err := reader.Next(ctx)
	must(err, "first of the new cluster")
	if string(first.Payload()) == "m0" {
		fail("what was sent to the old cluster is in the new one")
	}
	_, err = old.CreateProducer(pulsar.ProducerOptions{Topic: topic})
	if err == nil || !strings.Contains(err.Error(), "has migrated to another cluster, "+newURL) {
		fail("a producer that comes later: %v", err)
	}
	consumer.Close()
	send(ctx, producer, 25, 30)
	late := subscribe(old, topic)
	acknowledge(late, receive(ctx, late, 25, 30))
	old.Close()
	there.Close()
	fmt.Println("all ok")
}
