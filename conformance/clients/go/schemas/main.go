// franz-go with its client of a schema registry: registers an Avro schema and writes records with its number before each.
//
// usage: schemas BOOTSTRAP REGISTRY TOPIC
// Writes {n: 0} to {n: 2}. Prints "all ok", or exits with 1 and one line.
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

type reading struct{ n int64 }

func must(err error, what string) {
	if err != nil {
		fmt.Printf("FAILED: %s: %v\n", what, err)
		os.Exit(1)
	}
}

func main() {
	bootstrap, url, topic := os.Args[1], os.Args[2], os.Args[3]
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
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(bootstrap, ",")...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	must(err, "client")
	defer client.Close()
	for n := range int64(3) {
		value, err := serde.Encode(reading{n})
		must(err, "encode")
		must(client.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: value}).FirstErr(), "produce")
	}
	fmt.Println("all ok")
}
