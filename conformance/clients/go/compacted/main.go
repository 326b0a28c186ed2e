// pulsar-client-go against a running server: who asks for it reads the newest message of each key, others read all.
//
//	usage: go run ./compacted SERVICE_URL ADMIN_URL
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

const (
	keys   = 10
	rounds = 5
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

// A message of each key in each round; in the last round the first key's is empty, which deletes it.
func produce(ctx context.Context, client pulsar.Client, topic string) {
	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: topic})
	must(err, "create producer")
	for r := 0; r < rounds; r++ {
		for k := 0; k < keys; k++ {
			payload := []byte(fmt.Sprint(r))
			if r == rounds-1 && k == 0 {
				payload = nil
			}
			_, err = producer.Send(ctx, &pulsar.ProducerMessage{Key: fmt.Sprint("k", k), Payload: payload})
			must(err, "send")
		}
	}
	producer.Close()
}

// Has the topic compacted and waits until it is.
func compact(ctx context.Context, page string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, page, nil)
	must(err, "request")
	answer, err := http.DefaultClient.Do(request)
	must(err, "start compaction")
	answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		fail("start compaction: %s", answer.Status)
	}
	for {
		answer, err := http.Get(page)
		must(err, "compaction's status")
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		must(err, "compaction's status")
		if strings.Contains(string(body), "SUCCESS") {
			return
		}
		if ctx.Err() != nil || strings.Contains(string(body), "ERROR") {
			fail("compaction: %s", body)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func expect(what string, got map[string][]string, want func(key int) []string) {
	for k := 0; k < keys; k++ {
		key := fmt.Sprint("k", k)
		if fmt.Sprint(got[key]) != fmt.Sprint(want(k)) {
			fail("%s: of %s came %q in place of %q", what, key, got[key], want(k))
		}
	}
	fmt.Println("ok", what)
}

func allRounds(key int) []string {
	var all []string
	for r := 0; r < rounds; r++ {
		all = append(all, fmt.Sprint(r))
	}
	if key == 0 {
		all[rounds-1] = ""
	}
	return all
}

func newest(key int) []string {
	if key == 0 {
		return nil
	}
	return []string{fmt.Sprint(rounds - 1)}
}

// By a reader, to the end.
func read(ctx context.Context, client pulsar.Client, topic string, compacted bool) map[string][]string {
	reader, err := client.CreateReader(pulsar.ReaderOptions{
		Topic: topic, StartMessageID: pulsar.EarliestMessageID(), ReadCompacted: compacted})
	must(err, "create reader")
	defer reader.Close()
	got := make(map[string][]string)
	for reader.HasNext() {
		message, err := reader.Next(ctx)
		must(err, "read")
		got[message.Key()] = append(got[message.Key()], string(message.Payload()))
	}
	return got
}

// By a consumer, as many as there are keys left, and what is sent behind them.
func consume(ctx context.Context, client pulsar.Client, topic string) map[string][]string {
	consumer, err := client.Subscribe(pulsar.ConsumerOptions{
		Topic: topic, SubscriptionName: "c", Type: pulsar.Exclusive, ReadCompacted: true,
		SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest})
	must(err, "subscribe")
	defer consumer.Close()
	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: topic})
	must(err, "create producer")
	defer producer.Close()
	_, err = producer.Send(ctx, &pulsar.ProducerMessage{Key: "behind", Payload: []byte("b")})
	must(err, "send")
	got := make(map[string][]string)
	for len(got["behind"]) == 0 {
		message, err := consumer.Receive(ctx)
		must(err, "receive")
		must(consumer.Ack(message), "acknowledge")
		got[message.Key()] = append(got[message.Key()], string(message.Payload()))
	}
	return got
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	quiet := log.NewLoggerWithSlog(slog.New(slog.NewTextHandler(io.Discard, nil)))
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: os.Args[1], Logger: quiet})
	must(err, "client")
	name := fmt.Sprintf("compacted-%d", time.Now().UnixNano())
	topic := "persistent://public/default/" + name
	produce(ctx, client, topic)
	compact(ctx, os.Args[2]+"/admin/v2/persistent/public/default/"+name+"/compaction")
	expect("a reader of what is compacted", read(ctx, client, topic, true), newest)
	expect("a reader of everything", read(ctx, client, topic, false), allRounds)
	expect("a consumer of what is compacted", consume(ctx, client, topic), newest)
	client.Close()
	fmt.Println("all ok")
}
