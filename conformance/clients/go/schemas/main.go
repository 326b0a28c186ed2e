// franz-go with its client of a schema registry: registers schemas and writes records with their number before each, by Avro's and by
// Protobuf's encoding.
//
// usage: schemas BOOTSTRAP REGISTRY TOPIC PROTOBUF_TOPIC
// Writes {n: 0} to {n: 2} to the first topic, and {n: 7} to the other. Prints "all ok", or exits with 1 and one line.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
)

const schema = `{"type": "record", "name": "Reading", "fields": [{"name": "n", "type": "long"}]}`

// Files that Protobuf's clients in other languages register, as descriptors.
const (
	unit = `syntax = "proto3";
package conformance;

message Unit {
  string name = 1;
}
`
	protobuf = `syntax = "proto3";
// As people write it.
package conformance;

import "conformance/unit.proto";
import "google/protobuf/timestamp.proto";

message Reading {
  int64 n = 1;
  Unit unit = 2;
  google.protobuf.Timestamp at = 3;
}
`
)

type reading struct{ n int64 }

type protobufReading struct{ n int64 }

func must(err error, what string) {
	if err != nil {
		fmt.Printf("FAILED: %s: %v\n", what, err)
		os.Exit(1)
	}
}

func main() {
	bootstrap, url, topic, protobufTopic := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	registry, err := sr.NewClient(sr.URLs(url))
	must(err, "registry")
	registered, err := registry.CreateSchema(ctx, topic+"-value", sr.Schema{Schema: schema, Type: sr.TypeAvro})
	must(err, "register")
	again, err := registry.SchemaByID(ctx, registered.ID)
	must(err, "schema by id")
	if again.Schema == "" || again.Type != sr.TypeAvro {
		must(fmt.Errorf("it is %v", again), "schema by id")
	}
	var serde sr.Serde
	// Avro writes a long as Go does a signed varint.
	serde.Register(registered.ID, reading{}, sr.EncodeFn(func(value any) ([]byte, error) {
		return binary.AppendVarint(nil, value.(reading).n), nil
	}))
	registerProtobuf(ctx, registry, protobufTopic, &serde)
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(bootstrap, ",")...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	must(err, "client")
	defer client.Close()
	for n := range int64(3) {
		value, err := serde.Encode(reading{n})
		must(err, "encode")
		must(client.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: value}).FirstErr(), "produce")
	}
	value, err := serde.Encode(protobufReading{7})
	must(err, "encode")
	must(client.ProduceSync(ctx, &kgo.Record{Topic: protobufTopic, Value: value}).FirstErr(), "produce")
	fmt.Println("all ok")
}

// A file that imports another is registered with a reference to it, and says by its first message's place what each record is.
func registerProtobuf(ctx context.Context, registry *sr.Client, topic string, serde *sr.Serde) {
	const name = "conformance/unit.proto"
	_, err := registry.CreateSchema(ctx, name, sr.Schema{Schema: unit, Type: sr.TypeProtobuf})
	must(err, "register what is imported")
	refers := []sr.SchemaReference{{Name: name, Subject: name, Version: 1}}
	registered, err := registry.CreateSchema(ctx, topic+"-value", sr.Schema{Schema: protobuf, Type: sr.TypeProtobuf, References: refers})
	must(err, "register Protobuf")
	if registered.Schema.Type != sr.TypeProtobuf || len(registered.References) != 1 || registered.Schema.Schema != protobuf {
		must(fmt.Errorf("it is %v", registered), "register Protobuf")
	}
	serde.Register(registered.ID, protobufReading{}, sr.Index(0), sr.EncodeFn(func(value any) ([]byte, error) {
		return binary.AppendUvarint([]byte{1 << 3}, uint64(value.(protobufReading).n)), nil
	}))
}
