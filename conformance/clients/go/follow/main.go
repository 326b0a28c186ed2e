// A producer and a consumer that go on while partitions change nodes: franz-go, or pulsar-client-go.
//
//	usage: go run ./follow kafka|pulsar ADDRESS TOPIC PARTITIONS
//
// Writes to each partition the numbers from 0 on until its input ends, then reads the rest. Prints "ready" when the first came back. Each
// number must be there once and in order. Prints "all ok" at the end, or exits with 1 and one line.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/log"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	pause    = 50 * time.Millisecond
	patience = 90 * time.Second
	// A node that is paused holds its connections, and answers nothing.
	unanswered = 20 * time.Second
	forever    = -1
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

// A place in a partition's log.
type place struct{ ledger, entry, index int64 }

type books struct {
	lock         sync.Mutex
	ended        bool
	sent         []int
	acknowledged []int
	read         []map[place]int
}

func newBooks(partitions int) *books {
	b := &books{sent: make([]int, partitions), acknowledged: make([]int, partitions)}
	for range partitions {
		b.read = append(b.read, map[place]int{})
	}
	return b
}

func (b *books) counted(partition int, err error) {
	must(err, fmt.Sprintf("a number of partition %d was refused", partition))
	b.lock.Lock()
	defer b.lock.Unlock()
	b.acknowledged[partition]++
}

func (b *books) received(partition int, at place, value []byte) {
	number, err := strconv.Atoi(string(value))
	must(err, "a number")
	b.lock.Lock()
	defer b.lock.Unlock()
	before, again := b.read[partition][at]
	switch {
	case again && before != number:
		fail("%v of partition %d has %d and %d", at, partition, before, number)
	case !again && number != len(b.read[partition]):
		fail("%d came after %d of partition %d, at %v", number, len(b.read[partition]), partition, at)
	}
	if partition == 0 && number == 0 && !again {
		fmt.Println("ready")
	}
	b.read[partition][at] = number
}

func (b *books) complete() bool {
	b.lock.Lock()
	defer b.lock.Unlock()
	for p := range b.sent {
		if !b.ended || b.acknowledged[p] != b.sent[p] || len(b.read[p]) != b.sent[p] {
			return false
		}
	}
	return true
}

func (b *books) String() string {
	b.lock.Lock()
	defer b.lock.Unlock()
	var read []int
	for _, each := range b.read {
		read = append(read, len(each))
	}
	return fmt.Sprintf("sent %v, acknowledged %v, read %v", b.sent, b.acknowledged, read)
}

func (b *books) produce(send func(partition, number int)) {
	for {
		b.lock.Lock()
		ended := b.ended
		b.lock.Unlock()
		if ended {
			return
		}
		for p := range b.sent {
			b.lock.Lock()
			number := b.sent[p]
			b.sent[p]++
			b.lock.Unlock()
			send(p, number)
		}
		time.Sleep(pause)
	}
}

// receive gives up with its context.
func (b *books) follow(send func(partition, number int), receive func(ctx context.Context)) {
	producing := make(chan struct{})
	go func() {
		b.produce(send)
		close(producing)
	}()
	go func() {
		_, _ = io.ReadAll(os.Stdin)
		b.lock.Lock()
		b.ended = true
		b.lock.Unlock()
		<-producing
		time.Sleep(patience)
		fail("%v", b)
	}()
	for !b.complete() {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		receive(ctx)
		cancel()
	}
	total := 0
	for p, read := range b.read {
		places := make([]place, 0, len(read))
		for at := range read {
			places = append(places, at)
		}
		sort.Slice(places, func(i, j int) bool { return places[i].before(places[j]) })
		for i, at := range places {
			if read[at] != i {
				fail("partition %d has %d at %v, not %d", p, read[at], at, i)
			}
		}
		total += len(places)
	}
	fmt.Printf("%d numbers\nall ok\n", total)
}

func (at place) before(other place) bool {
	if at.ledger != other.ledger {
		return at.ledger < other.ledger
	}
	if at.entry != other.entry {
		return at.entry < other.entry
	}
	return at.index < other.index
}

func kafka(b *books, address, topic string) {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(address), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ConsumeTopics(topic),
		kgo.ConsumerGroup("follow-"+topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.AutoCommitInterval(500*time.Millisecond))
	must(err, "client")
	b.follow(func(partition, number int) {
		record := &kgo.Record{Topic: topic, Partition: int32(partition), Value: []byte(strconv.Itoa(number))}
		client.Produce(context.Background(), record, func(_ *kgo.Record, err error) { b.counted(partition, err) })
	}, func(ctx context.Context) {
		fetches := client.PollFetches(ctx)
		for _, e := range fetches.Errors() {
			var left *kgo.ErrGroupSession // the client joins the group again by itself
			if !errors.Is(e.Err, context.DeadlineExceeded) && !errors.As(e.Err, &left) {
				fail("the consumer gave up: %v", e.Err)
			}
		}
		fetches.EachRecord(func(r *kgo.Record) {
			b.received(int(r.Partition), place{entry: r.Offset}, r.Value)
		})
	})
	client.Close()
}

// opened is what create gives, which is tried again: Go's client does so only for what is open already.
func opened[T any](what string, create func() (T, error)) T {
	deadline := time.Now().Add(time.Minute)
	for {
		made, err := create()
		if err == nil {
			return made
		}
		if time.Now().After(deadline) {
			must(err, what)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func pulsarClient(b *books, address, topic string) {
	quiet := log.NewLoggerWithSlog(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: address, OperationTimeout: unanswered, Logger: quiet})
	must(err, "client")
	var producers []pulsar.Producer
	for p := range b.sent {
		producer := opened("producer", func() (pulsar.Producer, error) {
			return client.CreateProducer(pulsar.ProducerOptions{
				Topic: fmt.Sprintf("%s-partition-%d", topic, p), SendTimeout: forever})
		})
		producers = append(producers, producer)
	}
	consumer := opened("consumer", func() (pulsar.Consumer, error) {
		return client.Subscribe(pulsar.ConsumerOptions{Topic: topic, SubscriptionName: "s", Type: pulsar.Failover,
			SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest})
	})
	b.follow(func(partition, number int) {
		message := &pulsar.ProducerMessage{Payload: []byte(strconv.Itoa(number))}
		producers[partition].SendAsync(context.Background(), message,
			func(_ pulsar.MessageID, _ *pulsar.ProducerMessage, err error) { b.counted(partition, err) })
	}, func(ctx context.Context) {
		message, err := consumer.Receive(ctx)
		if err != nil {
			return
		}
		partition, err := strconv.Atoi(message.Topic()[strings.LastIndex(message.Topic(), "-")+1:])
		must(err, "partition")
		id := message.ID()
		b.received(partition, place{id.LedgerID(), id.EntryID(), int64(id.BatchIdx())}, message.Payload())
		must(consumer.Ack(message), "acknowledge")
	})
	client.Close()
}

func main() {
	partitions, err := strconv.Atoi(os.Args[4])
	must(err, "partitions")
	b := newBooks(partitions)
	switch os.Args[1] {
	case "kafka":
		kafka(b, os.Args[2], os.Args[3])
	case "pulsar":
		pulsarClient(b, os.Args[2], os.Args[3])
	default:
		fail("kafka or pulsar, not %s", os.Args[1])
	}
}
