// pulsar-client-go beside replication: what a producer of one cluster says of its messages is what a consumer of the other gets.
//
//	usage: go run ./replicated NEAR_URL FAR_URL FAR_FOLDER TOPIC NEAR_NAME
//
// TOPIC of the cluster NEAR_NAME goes to the far one, which has TLS and logins: FAR_FOLDER has its ca.pem and a token.
// Prints a line per check; exits with 1 and one line at the first that fails.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
)

const messages = 20

func fail(format string, args ...any) {
	fmt.Printf("FAILED: "+format+"\n", args...)
	os.Exit(1)
}

func must(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func message(n int) pulsar.ProducerMessage {
	return pulsar.ProducerMessage{
		Payload:     fmt.Appendf(nil, "go-%d", n),
		Key:         fmt.Sprint("k", n%3),
		OrderingKey: fmt.Sprint("o", n%2),
		Properties:  map[string]string{"n": fmt.Sprint(n), "colour": "grün"},
		EventTime:   time.UnixMilli(1_700_000_000_000 + int64(n)),
	}
}

func produce(ctx context.Context, client pulsar.Client, topic string, batches bool, from, to int) {
	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: topic, DisableBatching: !batches})
	must(err, "producer")
	for n := from; n < to; n++ {
		sent := message(n)
		producer.SendAsync(ctx, &sent, func(_ pulsar.MessageID, _ *pulsar.ProducerMessage, err error) {
			must(err, fmt.Sprint("send of ", n))
		})
	}
	must(producer.FlushWithCtx(ctx), "flush")
	producer.Close()
}

// Properties without the one that replication adds, as Apache Pulsar's does, to tell a message that is sent twice.
func own(properties map[string]string) map[string]string {
	all := maps.Clone(properties)
	delete(all, "__MSG_PROP_REPL_SOURCE_POSITION")
	return all
}

// In order, and as they were sent.
func consume(ctx context.Context, name string, client pulsar.Client, topic, replicatedFrom string) {
	consumer, err := client.Subscribe(pulsar.ConsumerOptions{
		Topic: topic, SubscriptionName: "go", SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest})
	must(err, name)
	for n := range messages {
		got, err := consumer.Receive(ctx)
		must(err, fmt.Sprintf("%s, after %d messages", name, n))
		want := message(n)
		same := string(got.Payload()) == string(want.Payload) && got.Key() == want.Key && got.OrderingKey() == want.OrderingKey &&
			maps.Equal(own(got.Properties()), want.Properties) && got.EventTime().Equal(want.EventTime)
		if !same {
			fail("%s: message %d is %q with key %q, ordering key %q, %v at %v", name, n, got.Payload(), got.Key(), got.OrderingKey(),
				got.Properties(), got.EventTime())
		}
		if got.GetReplicatedFrom() != replicatedFrom || got.IsReplicated() != (replicatedFrom != "") {
			fail("%s: message %d was replicated from %q", name, n, got.GetReplicatedFrom())
		}
		must(consumer.Ack(got), "acknowledgement")
	}
	consumer.Close()
	fmt.Println("ok", name)
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	folder, topic := os.Args[3], os.Args[4]
	near, err := pulsar.NewClient(pulsar.ClientOptions{URL: os.Args[1]})
	must(err, "client")
	far, err := pulsar.NewClient(pulsar.ClientOptions{
		URL:                   os.Args[2],
		TLSTrustCertsFilePath: filepath.Join(folder, "ca.pem"),
		Authentication:        pulsar.NewAuthenticationTokenFromFile(filepath.Join(folder, "token")),
	})
	must(err, "client of the other cluster")
	produce(ctx, near, topic, false, 0, messages/2)
	produce(ctx, near, topic, true, messages/2, messages)
	consume(ctx, "where they were sent", near, topic, "")
	consume(ctx, "in the other cluster", far, topic, os.Args[5])
	near.Close()
	far.Close()
	fmt.Println("all ok")
}
