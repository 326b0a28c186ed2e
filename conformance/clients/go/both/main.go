// franz-go and pulsar-client-go on one topic.
//
//	usage: both write KAFKA PULSAR TOPIC CONTENTS   sends "kafka" of CONTENTS by the one, then "pulsar" by the other
//	       both history KAFKA PULSAR TOPIC CONTENTS NAME   as write, by a Pulsar producer of this name, and prints the offsets of both
//	       both take KAFKA PULSAR TOPIC SUBSCRIPTION SEED  receives some messages, acknowledges some of them and gives the others back, as SEED
//	                                                says; prints each with its offset, and true, or null if it is not known, if it is acknowledged
//	       both chunks KAFKA PULSAR TOPIC CONTENTS  sends "pulsar" of CONTENTS by two producers in turn, in chunks, and prints their offsets
//	       both read KAFKA PULSAR TOPIC COUNT RUN   prints what each reads, a JSON object per line; RUN names a new subscription
//	       both read-kafka KAFKA PULSAR TOPIC COUNT RUN   as read, by franz-go alone
//
// Texts that may be binary are Base64. The last line is "all ok"; a failure is one line, and the process ends with 1.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/log"
	"github.com/twmb/franz-go/pkg/kgo"
)

type header [2]any

type contents struct {
	Kafka []struct {
		Key, Value []byte
		Headers    [][2]json.RawMessage
		Time       int64
	}
	Pulsar []struct {
		Key        *string
		Value      []byte
		Properties map[string]string
		Time       int64
	}
}

func fail(format string, args ...any) {
	fmt.Printf("FAILED: "+format+"\n", args...)
	os.Exit(1)
}

func must(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func print(line map[string]any) {
	text, err := json.Marshal(line)
	must(err, "json")
	fmt.Println(string(text))
}

// Gives the offsets.
func writeKafka(ctx context.Context, addresses []string, topic string, given contents) []int64 {
	client, err := kgo.NewClient(kgo.SeedBrokers(addresses...), kgo.DefaultProduceTopic(topic),
		kgo.ProducerBatchCompression(kgo.ZstdCompression()), kgo.ProducerLinger(100*time.Millisecond))
	must(err, "producer")
	offsets := make([]int64, len(given.Kafka))
	for n, each := range given.Kafka {
		record := &kgo.Record{Key: each.Key, Value: each.Value}
		if each.Time > 0 {
			record.Timestamp = time.UnixMilli(each.Time)
		}
		for _, pair := range each.Headers {
			var h kgo.RecordHeader
			must(json.Unmarshal(pair[0], &h.Key), "header")
			must(json.Unmarshal(pair[1], &h.Value), "header")
			record.Headers = append(record.Headers, h)
		}
		client.Produce(ctx, record, func(r *kgo.Record, err error) {
			must(err, "produce")
			offsets[n] = r.Offset
		})
	}
	must(client.Flush(ctx), "flush")
	client.Close()
	return offsets
}

// Gives the offsets, -1 where the server has had a message already.
func writePulsar(ctx context.Context, client pulsar.Client, topic, name string, given contents) []int64 {
	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: topic, Name: name, CompressionType: pulsar.ZSTD,
		BatchingMaxPublishDelay: 100 * time.Millisecond})
	must(err, "create producer")
	offsets := make([]int64, len(given.Pulsar))
	var sent sync.WaitGroup
	for n, each := range given.Pulsar {
		message := &pulsar.ProducerMessage{Payload: each.Value, Properties: each.Properties}
		if each.Key != nil {
			message.Key = *each.Key
		}
		if each.Time > 0 {
			message.EventTime = time.UnixMilli(each.Time)
		}
		sent.Add(1)
		producer.SendAsync(ctx, message, func(id pulsar.MessageID, _ *pulsar.ProducerMessage, err error) {
			must(err, "send")
			offsets[n] = -1
			if id.EntryID() >= 0 {
				offsets[n] = id.EntryID() + int64(max(0, id.BatchIdx()))
			}
			sent.Done()
		})
	}
	must(producer.FlushWithCtx(ctx), "flush")
	sent.Wait()
	producer.Close()
	return offsets
}

// Small chunks, so that those of two producers lie among each other.
func writeChunks(ctx context.Context, client pulsar.Client, topic string, given contents) {
	producers := make([]pulsar.Producer, 2)
	for p := range producers {
		producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: topic, DisableBatching: true,
			EnableChunking: true, ChunkMaxMessageSize: 100_000, CompressionType: pulsar.LZ4})
		must(err, "create producer")
		producers[p] = producer
	}
	offsets := make([]int64, len(given.Pulsar))
	var sent sync.WaitGroup
	for p, producer := range producers {
		sent.Add(1)
		go func() {
			defer sent.Done()
			for n := p; n < len(given.Pulsar); n += len(producers) {
				each := given.Pulsar[n]
				message := &pulsar.ProducerMessage{Payload: each.Value, Properties: each.Properties}
				if each.Key != nil {
					message.Key = *each.Key
				}
				id, err := producer.Send(ctx, message)
				must(err, "send in chunks")
				offsets[n] = id.EntryID()
			}
		}()
	}
	sent.Wait()
	print(map[string]any{"offsets": offsets})
	for _, producer := range producers {
		producer.Close()
	}
}

func readKafka(ctx context.Context, addresses []string, topic string, count int) {
	client, err := kgo.NewClient(kgo.SeedBrokers(addresses...), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	must(err, "consumer")
	for read := 0; read < count; {
		fetches := client.PollFetches(ctx)
		for _, e := range fetches.Errors() {
			must(e.Err, "fetch")
		}
		fetches.EachRecord(func(r *kgo.Record) {
			headers := []header{}
			for _, h := range r.Headers {
				headers = append(headers, header{h.Key, h.Value})
			}
			print(map[string]any{"client": "franz-go", "key": r.Key, "value": r.Value, "headers": headers})
			read++
		})
	}
	client.Close()
}

func readPulsar(ctx context.Context, client pulsar.Client, topic, run string, count int) {
	consumer, err := client.Subscribe(pulsar.ConsumerOptions{Topic: topic, SubscriptionName: "go-" + run,
		Type: pulsar.KeyShared, SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest})
	must(err, "subscribe")
	for n := 0; n < count; n++ {
		message, err := consumer.Receive(ctx)
		must(err, "receive")
		print(map[string]any{"client": "go", "key": message.Key(), "value": message.Payload(),
			"properties": message.Properties()})
		must(consumer.Ack(message), "ack")
	}
	consumer.Close()
}

func take(ctx context.Context, client pulsar.Client, topic, subscription string, seed int64) {
	chance := rand.New(rand.NewSource(seed))
	consumer, err := client.Subscribe(pulsar.ConsumerOptions{Topic: topic, SubscriptionName: subscription, Type: pulsar.KeyShared,
		SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest, NackRedeliveryDelay: 100 * time.Millisecond,
		EnableBatchIndexAcknowledgment: true, AckWithResponse: true, AckGroupingOptions: &pulsar.AckGroupingOptions{MaxSize: 1}})
	must(err, "subscribe")
	taken := map[int64]any{}
	for n := 1 + chance.Intn(20); n > 0; n-- {
		patience := 500 * time.Millisecond
		if len(taken) > 0 {
			patience = 100 * time.Millisecond
		}
		soon, cancel := context.WithTimeout(ctx, patience)
		message, err := consumer.Receive(soon)
		cancel()
		if err != nil {
			break
		}
		offset := message.ID().EntryID() + int64(max(0, message.ID().BatchIdx()))
		if _, again := taken[offset]; !again {
			taken[offset] = false
		}
		if chance.Intn(3) == 0 {
			consumer.Nack(message)
		} else if consumer.Ack(message) == nil {
			taken[offset] = true
		} else {
			taken[offset] = nil
		}
	}
	consumer.Close()
	pairs := [][2]any{}
	for offset, acknowledged := range taken {
		pairs = append(pairs, [2]any{offset, acknowledged})
	}
	print(map[string]any{"taken": pairs})
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	what, kafka, topic := os.Args[1], strings.Split(os.Args[2], ","), os.Args[4]
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: os.Args[3],
		Logger: log.NewLoggerWithSlog(slog.New(slog.NewTextHandler(io.Discard, nil)))})
	must(err, "client")
	if what == "write" || what == "history" || what == "chunks" {
		file, err := os.ReadFile(os.Args[5])
		must(err, "contents")
		var given contents
		must(json.Unmarshal(file, &given), "contents")
		if what == "chunks" {
			writeChunks(ctx, client, topic, given)
		} else if what == "history" {
			print(map[string]any{"kafka": writeKafka(ctx, kafka, topic, given),
				"pulsar": writePulsar(ctx, client, topic, os.Args[6], given)})
		} else {
			writeKafka(ctx, kafka, topic, given)
			writePulsar(ctx, client, topic, "", given)
		}
	} else if what == "take" {
		seed, err := strconv.ParseInt(os.Args[6], 10, 64)
		must(err, "seed")
		take(ctx, client, topic, os.Args[5], seed)
	} else {
		count, err := strconv.Atoi(os.Args[5])
		must(err, "count")
		readKafka(ctx, kafka, topic, count)
		if what == "read" {
			readPulsar(ctx, client, topic, os.Args[6], count)
		}
	}
	client.Close()
	fmt.Println("all ok")
}
