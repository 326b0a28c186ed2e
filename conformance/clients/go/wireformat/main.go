// franz-go with its client of a schema registry, and pulsar-client-go, on one topic: each reads what the other wrote, by the topic's schema.
//
// usage: wireformat KAFKA PULSAR REGISTRY READINGS BOTH PROTOBUF
// READINGS has records {n: 0} to {n: 2} by franz-go, and then others; BOTH and PROTOBUF have the setting sluice.wire.format=both and are empty.
// Writes {n: 20} to BOTH by pulsar-client-go and {n: 21} by franz-go, and a timestamp of 9 s to PROTOBUF by pulsar-client-go. Prints "all ok", or exits with 1 and one line.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/log"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"google.golang.org/protobuf/types/known/timestamppb"
)

const schema = `{"type":"record","name":"Reading","fields":[{"name":"n","type":"long"}]}`

type reading struct {
	N int64 `avro:"n"`
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

// Values that a Pulsar consumer with the schema reads.
func readPulsar(ctx context.Context, client pulsar.Client, topic string, count int) []int64 {
	consumer, err := client.Subscribe(pulsar.ConsumerOptions{
		Topic:                       topic,
		SubscriptionName:            "wire-go",
		SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest,
		Schema:                      pulsar.NewAvroSchema(schema, nil),
	})
	must(err, "subscribe")
	defer consumer.Close()
	var read []int64
	for len(read) < count {
		message, err := consumer.Receive(ctx)
		must(err, "receive")
		var value reading
		must(message.GetSchemaValue(&value), "value")
		read = append(read, value.N)
		must(consumer.Ack(message), "ack")
	}
	return read
}

func main() {
	kafka, url, registryURL, readings, both, protobuf := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5], os.Args[6]
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := pulsar.NewClient(pulsar.ClientOptions{
		URL:    url,
		Logger: log.NewLoggerWithSlog(slog.New(slog.NewTextHandler(io.Discard, nil))),
	})
	must(err, "client")
	defer client.Close()

	if read := readPulsar(ctx, client, readings, 3); fmt.Sprint(read) != "[0 1 2]" {
		fail("pulsar-client-go reads %v", read)
	}

	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: both, Schema: pulsar.NewAvroSchema(schema, nil)})
	must(err, "producer")
	_, err = producer.Send(ctx, &pulsar.ProducerMessage{Value: &reading{20}})
	must(err, "send")

	timestamps, err := client.CreateProducer(pulsar.ProducerOptions{
		Topic: protobuf, Schema: pulsar.NewProtoNativeSchemaWithMessage(&timestamppb.Timestamp{}, nil)})
	must(err, "producer")
	_, err = timestamps.Send(ctx, &pulsar.ProducerMessage{Value: &timestamppb.Timestamp{Seconds: 9}})
	must(err, "send")

	registry, err := sr.NewClient(sr.URLs(registryURL))
	must(err, "registry")
	latest, err := registry.SchemaByVersion(ctx, both+"-value", -1)
	must(err, "schema")
	var serde sr.Serde
	// Avro writes a long as Go does a signed varint.
	serde.Register(latest.ID, reading{}, sr.EncodeFn(func(value any) ([]byte, error) {
		return binary.AppendVarint(nil, value.(reading).N), nil
	}), sr.DecodeFn(func(bytes []byte, into any) error {
		n, size := binary.Varint(bytes)
		if size != len(bytes) {
			return fmt.Errorf("%v is no long alone", bytes)
		}
		into.(*reading).N = n
		return nil
	}))
	franz, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(kafka, ",")...), kgo.ConsumeTopics(both),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	must(err, "client")
	defer franz.Close()
	value, err := serde.Encode(reading{21})
	must(err, "encode")
	must(franz.ProduceSync(ctx, &kgo.Record{Topic: both, Value: value}).FirstErr(), "produce")
	var read []int64
	for len(read) < 2 {
		fetches := franz.PollFetches(ctx)
		must(fetches.Err0(), "poll")
		fetches.EachRecord(func(record *kgo.Record) {
			var into reading
			must(serde.Decode(record.Value, &into), "decode")
			read = append(read, into.N)
		})
	}
	if fmt.Sprint(read) != "[20 21]" {
		fail("franz-go reads %v", read)
	}
	if read := readPulsar(ctx, client, both, 2); fmt.Sprint(read) != "[20 21]" {
		fail("pulsar-client-go reads %v", read)
	}
	fmt.Println("all ok")
}
