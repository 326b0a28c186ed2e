// Each feature of Pulsar's Go client against a running server: a line "= feature: yes" for one that works, "-" for one that this client does
// not have, else why not.
//
// usage: features SERVICE_URL
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/crypto"
	"github.com/apache/pulsar-client-go/pulsar/log"
)

const soon = 20 * time.Second

var client pulsar.Client

type feature struct {
	name string
	use  func() error
}

var made int

func topic(name string) string {
	made++
	return fmt.Sprintf("persistent://public/default/go-%s-%d-%d", name, time.Now().UnixNano(), made)
}

func within() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), soon)
}

func next(consumer pulsar.Consumer) (pulsar.Message, error) {
	ctx, cancel := within()
	defer cancel()
	return consumer.Receive(ctx)
}

func expect(consumer pulsar.Consumer, value string) error {
	message, err := next(consumer)
	if err != nil {
		return err
	}
	if !bytes.Equal(message.Payload(), []byte(value)) {
		return fmt.Errorf("got %.20q, not %.20q", message.Payload(), value)
	}
	return nil
}

func subscribe(options pulsar.ConsumerOptions) (pulsar.Consumer, error) {
	options.SubscriptionName = "s"
	options.SubscriptionInitialPosition = pulsar.SubscriptionPositionEarliest
	return client.Subscribe(options)
}

// send makes a producer and has it send; closes it.
func send(options pulsar.ProducerOptions, messages ...pulsar.ProducerMessage) ([]pulsar.MessageID, error) {
	producer, err := client.CreateProducer(options)
	if err != nil {
		return nil, err
	}
	defer producer.Close()
	var ids []pulsar.MessageID
	for i := range messages {
		ctx, cancel := within()
		id, err := producer.Send(ctx, &messages[i])
		cancel()
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func text(value string) pulsar.ProducerMessage { return pulsar.ProducerMessage{Payload: []byte(value)} }

func roundTrip(kind pulsar.SubscriptionType, batching bool) func() error {
	return func() error {
		where := topic("types")
		consumer, err := subscribe(pulsar.ConsumerOptions{Topic: where, Type: kind})
		if err != nil {
			return err
		}
		defer consumer.Close()
		producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: where, DisableBatching: !batching})
		if err != nil {
			return err
		}
		defer producer.Close()
		for i := 0; i < 20; i++ {
			message := text(fmt.Sprint(i))
			message.Key = fmt.Sprintf("k%d", i%3)
			producer.SendAsync(context.Background(), &message, func(pulsar.MessageID, *pulsar.ProducerMessage, error) {})
		}
		if err := producer.Flush(); err != nil {
			return err
		}
		got := map[string]bool{}
		for i := 0; i < 20; i++ {
			message, err := next(consumer)
			if err != nil {
				return err
			}
			ordered := kind == pulsar.Exclusive || kind == pulsar.Failover
			if ordered && string(message.Payload()) != fmt.Sprint(i) {
				return fmt.Errorf("out of order")
			}
			got[string(message.Payload())] = true
			if err := consumer.Ack(message); err != nil {
				return err
			}
		}
		if len(got) != 20 {
			return fmt.Errorf("some came twice")
		}
		return nil
	}
}

func passes(where string, value string, options pulsar.ProducerOptions, consumers pulsar.ConsumerOptions) error {
	consumers.Topic, options.Topic = where, where
	consumer, err := subscribe(consumers)
	if err != nil {
		return err
	}
	defer consumer.Close()
	if _, err := send(options, text(value)); err != nil {
		return err
	}
	return expect(consumer, value)
}

func compression() error {
	for _, kind := range []pulsar.CompressionType{pulsar.LZ4, pulsar.ZLib, pulsar.ZSTD, pulsar.SNAPPY} {
		options := pulsar.ProducerOptions{CompressionType: kind}
		if err := passes(topic("compressed"), strings.Repeat("x", 100_000), options, pulsar.ConsumerOptions{}); err != nil {
			return err
		}
	}
	return nil
}

type person struct {
	Name string `json:"name" avro:"name"`
}

func schemas() error {
	const definition = `{"type":"record","name":"Person","fields":[{"name":"name","type":"string"}]}`
	for _, schema := range []pulsar.Schema{pulsar.NewJSONSchema(definition, nil), pulsar.NewAvroSchema(definition, nil)} {
		where := topic("schemas")
		consumer, err := subscribe(pulsar.ConsumerOptions{Topic: where, Schema: schema})
		if err != nil {
			return err
		}
		options := pulsar.ProducerOptions{Topic: where, Schema: schema}
		if _, err := send(options, pulsar.ProducerMessage{Value: &person{Name: "Ann"}}); err != nil {
			return err
		}
		message, err := next(consumer)
		if err != nil {
			return err
		}
		var got person
		if err := message.GetSchemaValue(&got); err != nil || got.Name != "Ann" {
			return fmt.Errorf("got %v: %v", got, err)
		}
		consumer.Close()
	}
	return nil
}

func negative() error {
	where := topic("negative")
	consumer, err := subscribe(pulsar.ConsumerOptions{Topic: where, Type: pulsar.Shared, NackRedeliveryDelay: 200 * time.Millisecond})
	if err != nil {
		return err
	}
	defer consumer.Close()
	if _, err := send(pulsar.ProducerOptions{Topic: where}, text("1")); err != nil {
		return err
	}
	first, err := next(consumer)
	if err != nil {
		return err
	}
	consumer.Nack(first)
	again, err := next(consumer)
	if err == nil && again.RedeliveryCount() != 1 {
		err = fmt.Errorf("not counted")
	}
	return err
}

func deadLetters() error {
	where, letters := topic("dead"), topic("letters")
	dead, err := subscribe(pulsar.ConsumerOptions{Topic: letters})
	if err != nil {
		return err
	}
	defer dead.Close()
	consumer, err := subscribe(pulsar.ConsumerOptions{Topic: where, Type: pulsar.Shared,
		NackRedeliveryDelay: 200 * time.Millisecond, DLQ: &pulsar.DLQPolicy{MaxDeliveries: 2, DeadLetterTopic: letters}})
	if err != nil {
		return err
	}
	defer consumer.Close()
	if _, err := send(pulsar.ProducerOptions{Topic: where}, text("1")); err != nil {
		return err
	}
	for i := 0; i < 2; i++ {
		message, err := next(consumer)
		if err != nil {
			return err
		}
		consumer.Nack(message)
	}
	return expect(dead, "1")
}

func delayed() error {
	where := topic("delayed")
	consumer, err := subscribe(pulsar.ConsumerOptions{Topic: where, Type: pulsar.Shared})
	if err != nil {
		return err
	}
	defer consumer.Close()
	due := time.Now().Add(1500 * time.Millisecond)
	later := text("1")
	later.DeliverAt = due
	if _, err := send(pulsar.ProducerOptions{Topic: where}, later, text("2")); err != nil {
		return err
	}
	// it may be first if it is due before the other is sent
	got := map[string]bool{}
	for len(got) < 2 {
		message, err := next(consumer)
		if err != nil {
			return err
		}
		came := string(message.Payload())
		if got[came] || came != "1" && came != "2" {
			return fmt.Errorf("%q came after %v", came, got)
		}
		if came == "1" && time.Now().Before(due.Truncate(time.Millisecond)) {
			return fmt.Errorf("it came too early")
		}
		got[came] = true
	}
	return nil
}

func transactions() error {
	from, to := topic("from"), topic("to")
	input, err := subscribe(pulsar.ConsumerOptions{Topic: from})
	if err != nil {
		return err
	}
	defer input.Close()
	output, err := subscribe(pulsar.ConsumerOptions{Topic: to})
	if err != nil {
		return err
	}
	defer output.Close()
	if _, err := send(pulsar.ProducerOptions{Topic: from}, text("1"), text("2")); err != nil {
		return err
	}
	for _, commits := range []bool{false, true} {
		transaction, err := client.NewTransaction(time.Minute)
		if err != nil {
			return err
		}
		message, err := next(input)
		if err != nil {
			return err
		}
		sent := text(fmt.Sprint(commits))
		sent.Transaction = transaction
		if _, err := send(pulsar.ProducerOptions{Topic: to}, sent); err != nil {
			return err
		}
		if err := input.AckWithTxn(message, transaction); err != nil {
			return err
		}
		ctx, cancel := within()
		if commits {
			err = transaction.Commit(ctx)
		} else {
			err = transaction.Abort(ctx)
		}
		cancel()
		if err != nil {
			return err
		}
	}
	return expect(output, "true")
}

func readers() error {
	where := topic("read")
	ids, err := send(pulsar.ProducerOptions{Topic: where}, text("1"), text("2"))
	if err != nil {
		return err
	}
	for i, start := range []pulsar.MessageID{pulsar.EarliestMessageID(), ids[1]} {
		reader, err := client.CreateReader(pulsar.ReaderOptions{Topic: where, StartMessageID: start, StartMessageIDInclusive: true})
		if err != nil {
			return err
		}
		defer reader.Close()
		ctx, cancel := within()
		message, err := reader.Next(ctx)
		cancel()
		if err != nil {
			return err
		}
		if string(message.Payload()) != fmt.Sprint(i+1) || reader.HasNext() != (i == 0) {
			return fmt.Errorf("reader %d got %q", i, message.Payload())
		}
	}
	return nil
}

func seek() error {
	where := topic("seek")
	consumer, err := subscribe(pulsar.ConsumerOptions{Topic: where})
	if err != nil {
		return err
	}
	defer consumer.Close()
	begun := time.Now().Add(-time.Second)
	if _, err := send(pulsar.ProducerOptions{Topic: where}, text("1"), text("2")); err != nil {
		return err
	}
	if err := expect(consumer, "1"); err != nil {
		return err
	}
	second, err := next(consumer)
	if err != nil {
		return err
	}
	if err := consumer.AckCumulative(second); err != nil {
		return err
	}
	if err := consumer.SeekByTime(begun); err != nil {
		return err
	}
	return expect(consumer, "1")
}

func tableViews() error {
	where := topic("table")
	first, second := text("1"), text("2")
	first.Key, second.Key = "a", "a"
	if _, err := send(pulsar.ProducerOptions{Topic: where}, first, second); err != nil {
		return err
	}
	view, err := client.CreateTableView(pulsar.TableViewOptions{Topic: where, Schema: pulsar.NewBytesSchema(nil), SchemaValueType: reflect.TypeOf([]byte{})})
	if err != nil {
		return err
	}
	defer view.Close()
	value, ok := view.Get("a").([]byte)
	if !ok || string(value) != "2" {
		return fmt.Errorf("got %v", view.Get("a"))
	}
	return nil
}

func pattern() error {
	where := topic("pattern")
	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: where + "-a"})
	if err != nil {
		return err
	}
	defer producer.Close()
	consumer, err := subscribe(pulsar.ConsumerOptions{TopicsPattern: where + "-.*"})
	if err != nil {
		return err
	}
	defer consumer.Close()
	if _, err := send(pulsar.ProducerOptions{Topic: where + "-a"}, text("1")); err != nil {
		return err
	}
	return expect(consumer, "1")
}

func encryption() error {
	folder, err := os.MkdirTemp("", "keys")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	readable, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	files := map[string]*pem.Block{
		"readable": {Type: "PUBLIC KEY", Bytes: readable},
		"secret":   {Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)},
	}
	for name, block := range files {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
	}
	keys := crypto.NewFileKeyReader(filepath.Join(folder, "readable"), filepath.Join(folder, "secret"))
	encrypts := pulsar.ProducerOptions{Encryption: &pulsar.ProducerEncryptionInfo{KeyReader: keys, Keys: []string{"k"}}}
	decrypts := pulsar.ConsumerOptions{Decryption: &pulsar.MessageDecryptionInfo{KeyReader: keys}}
	return passes(topic("encrypted"), "1", encrypts, decrypts)
}

func main() {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	var err error
	client, err = pulsar.NewClient(pulsar.ClientOptions{URL: os.Args[1], EnableTransaction: true, Logger: log.NewLoggerWithSlog(quiet)})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	defer client.Close()
	chunks := func() error {
		options := pulsar.ProducerOptions{DisableBatching: true, EnableChunking: true}
		return passes(topic("chunks"), strings.Repeat("x", 12<<20), options, pulsar.ConsumerOptions{})
	}
	live := func() error {
		where := strings.Replace(topic("live"), "persistent:", "non-persistent:", 1)
		return passes(where, "1", pulsar.ProducerOptions{}, pulsar.ConsumerOptions{})
	}
	all := []feature{
		{"produce, consume", roundTrip(pulsar.Exclusive, false)},
		{"batches", roundTrip(pulsar.Exclusive, true)},
		{"compression", compression},
		{"schemas", schemas},
		{"Failover", roundTrip(pulsar.Failover, true)},
		{"Shared", roundTrip(pulsar.Shared, true)},
		{"Key_Shared", roundTrip(pulsar.KeyShared, false)},
		{"negative acknowledgement", negative},
		{"dead letters", deadLetters},
		{"delayed delivery", delayed},
		{"transactions", transactions},
		{"readers", readers},
		{"seek", seek},
		{"table views", tableViews},
		{"non-persistent topics", live},
		{"patterns of topics", pattern},
		{"chunks", chunks},
		{"encryption", encryption},
	}
	for _, each := range all {
		result := "yes"
		if err := each.use(); err != nil {
			result = strings.SplitN(err.Error(), "\n", 2)[0]
		}
		fmt.Printf("= %s: %s\n", each.name, result)
	}
	fmt.Println("all ok")
}
