// pulsar-client-go against a running server: a send that is refused for good fails at once, and the next producer works.
//
//	usage: go run ./refused SERVICE_URL ADMIN_URL
//
// Prints a line per check; exits with 1 and one line at the first that fails.
package main

import (
	"context"
	"errors"
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

// No send times out: what is not answered fails only with the whole.
const never = -1 * time.Second

func fail(format string, args ...any) {
	fmt.Printf("FAILED: "+format+"\n", args...)
	os.Exit(1)
}

func must(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func newTopic(what string) string {
	return fmt.Sprintf("persistent://public/default/go-refused-%s-%d", what, time.Now().UnixNano())
}

func create(client pulsar.Client, topic string) pulsar.Producer {
	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: topic, SendTimeout: never, DisableBatching: true})
	must(err, "create producer")
	return producer
}

// The producer whose send is refused is fenced, with what it has sent behind it; a new one goes on.
func expectFenced(ctx context.Context, client pulsar.Client, topic string, refused *pulsar.ProducerMessage) {
	producer := create(client, topic)
	_, err := producer.Send(ctx, &pulsar.ProducerMessage{Payload: []byte("before")})
	must(err, "send")
	behind := make(chan error, 1)
	failed := make(chan error, 1)
	producer.SendAsync(ctx, refused, func(_ pulsar.MessageID, _ *pulsar.ProducerMessage, err error) { failed <- err })
	producer.SendAsync(ctx, &pulsar.ProducerMessage{Payload: []byte("behind")},
		func(_ pulsar.MessageID, _ *pulsar.ProducerMessage, err error) { behind <- err })
	for _, answer := range []chan error{failed, behind} {
		select {
		case err := <-answer:
			if !errors.Is(err, pulsar.ErrProducerFenced) {
				fail("a send that is refused, or behind one: %v", err)
			}
		case <-ctx.Done():
			fail("a send that is refused, or behind one, never fails")
		}
	}
	next := create(client, topic)
	_, err = next.Send(ctx, &pulsar.ProducerMessage{Payload: []byte("next")})
	must(err, "send by the next producer")
	next.Close()
	producer.Close()
}

// What is refused when it is created.
func created(client pulsar.Client) {
	topic := newTopic("created")
	options := pulsar.ConsumerOptions{Topic: topic, SubscriptionName: "s", Type: pulsar.Exclusive}
	consumer, err := client.Subscribe(options)
	must(err, "subscribe")
	_, err = client.Subscribe(options)
	expectError("a second exclusive consumer", err, "ConsumerBusy")
	_, err = client.Subscribe(pulsar.ConsumerOptions{Topic: topic, SubscriptionName: "c", Type: pulsar.Shared, ReadCompacted: true})
	expectError("a shared subscription of what is compacted", err, "NotAllowedError")
	exclusive := pulsar.ProducerOptions{Topic: topic, ProducerAccessMode: pulsar.ProducerAccessModeExclusive}
	producer, err := client.CreateProducer(exclusive)
	must(err, "create producer")
	_, err = client.CreateProducer(exclusive)
	expectError("a second exclusive producer", err, "ProducerFenced")
	producer.Close()
	consumer.Close()
	fmt.Println("ok what is refused when it is created")
}

func expectError(what string, err error, want string) {
	if err == nil || !strings.Contains(err.Error(), want) {
		fail("%s: %v, expected %s", what, err, want)
	}
}

// A producer of a topic whose backlog is over its quota, until there is room.
func overQuota(ctx context.Context, client pulsar.Client, admin string) {
	topic := newTopic("quota")
	consumer, err := client.Subscribe(pulsar.ConsumerOptions{Topic: topic, SubscriptionName: "s"})
	must(err, "subscribe")
	producer := create(client, topic)
	for n := 0; n < 4; n++ {
		_, err := producer.Send(ctx, &pulsar.ProducerMessage{Payload: make([]byte, 1000)})
		must(err, "send")
	}
	producer.Close()
	path := admin + "/admin/v2/persistent/" + strings.TrimPrefix(topic, "persistent://")
	postJSON(path+"/backlogQuota", `{"limitSize": 2000, "limitTime": -1, "policy": "producer_exception"}`)
	_, err = client.CreateProducer(pulsar.ProducerOptions{Topic: topic})
	expectError("a producer over the quota", err, "Quota")
	post(path + "/subscription/s/skip_all")
	create(client, topic).Close()
	consumer.Close()
	fmt.Println("ok a producer over a backlog quota")
}

// What is sent beyond the rate of its topic waits.
func tooFast(ctx context.Context, client pulsar.Client, admin string) {
	topic := newTopic("rate")
	create(client, topic).Close()
	path := admin + "/admin/v2/persistent/" + strings.TrimPrefix(topic, "persistent://")
	postJSON(path+"/publishRate", `{"publishThrottlingRateInMsg": 50, "publishThrottlingRateInByte": -1}`)
	producer := create(client, topic)
	// until the change is known they go at once; the context's end fails it
	for took := time.Duration(0); took < 700*time.Millisecond; {
		began := time.Now()
		for n := 0; n < 100; n++ {
			_, err := producer.Send(ctx, &pulsar.ProducerMessage{Payload: []byte("m")})
			must(err, "send at a rate")
		}
		took = time.Since(began)
	}
	producer.Close()
	fmt.Println("ok a producer that is too fast")
}

func post(url string) {
	postJSON(url, "")
}

func postJSON(url, body string) {
	answer, err := http.Post(url, "application/json", strings.NewReader(body))
	must(err, url)
	answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		fail("%s: %s", url, answer.Status)
	}
}

// An administrator aborts it behind the client's back, as its time-out may.
func transactionThatIsOver(ctx context.Context, client pulsar.Client, admin string) {
	topic := newTopic("transaction")
	txn, err := client.NewTransaction(10 * time.Minute)
	must(err, "begin")
	producer := create(client, topic)
	_, err = producer.Send(ctx, &pulsar.ProducerMessage{Payload: []byte("m"), Transaction: txn})
	must(err, "send in a transaction")
	producer.Close()
	id := txn.GetTxnID()
	post(fmt.Sprintf("%s/admin/v3/transactions/abortTransaction/%d/%d", admin, id.MostSigBits, id.LeastSigBits))
	expectFenced(ctx, client, topic, &pulsar.ProducerMessage{Payload: []byte("late"), Transaction: txn})
	fmt.Println("ok transaction that is over")
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	quiet := log.NewLoggerWithSlog(slog.New(slog.NewTextHandler(io.Discard, nil)))
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: os.Args[1], Logger: quiet, EnableTransaction: true})
	must(err, "client")
	created(client)
	overQuota(ctx, client, os.Args[2])
	tooFast(ctx, client, os.Args[2])
	transactionThatIsOver(ctx, client, os.Args[2])
	client.Close()
	fmt.Println("all ok")
}
