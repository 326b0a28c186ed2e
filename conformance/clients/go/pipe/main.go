// Consumes by pulsar-client-go and produces by franz-go, whose transactions have the results and the position of the subscription.
//
//	usage: pipe KAFKA PULSAR FROM TO COUNT     copies COUNT messages; the first transaction it aborts
//
// FROM has one partition. franz-go has no call that adds a position to a transaction without a group that it has joined, so the
// request is made here. The last line is "all ok"; a failure is one line, and the process ends with 1.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/log"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	name    = "pipe-go"
	inATurn = 7
)

func must(err error, what string) {
	if err != nil {
		fmt.Printf("FAILED: %s: %v\n", what, err)
		os.Exit(1)
	}
}

func subscribe(client pulsar.Client, source string) pulsar.Consumer {
	consumer, err := client.Subscribe(pulsar.ConsumerOptions{Topic: source, SubscriptionName: name, Name: name,
		Type: pulsar.Failover, SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest})
	must(err, "subscribe")
	return consumer
}

// Leaves the transaction open.
func turn(ctx context.Context, consumer pulsar.Consumer, producer *kgo.Client, source, target string, count int) {
	must(producer.BeginTransaction(), "begin")
	var first, last int64
	for n := 0; n < count; n++ {
		message, err := consumer.Receive(ctx)
		must(err, "receive")
		last = message.ID().EntryID() + int64(max(0, message.ID().BatchIdx()))
		if n == 0 {
			first = last
		}
		record := &kgo.Record{Topic: target, Value: message.Payload()}
		must(producer.ProduceSync(ctx, record).FirstErr(), "produce")
	}
	must(acknowledge(ctx, producer, source, first, last+1), "offsets")
}

// Acknowledges all before next in the producer's transaction.
func acknowledge(ctx context.Context, producer *kgo.Client, source string, first, next int64) error {
	id, epoch, err := producer.ProducerID(ctx)
	if err != nil {
		return err
	}
	metadata := fmt.Sprintf("from=%d", first)
	partition := kmsg.NewTxnOffsetCommitRequestTopicPartition()
	partition.Offset = next
	partition.Metadata = &metadata
	known, err := kadm.NewClient(producer).ListTopics(ctx, source)
	if err != nil {
		return err
	}
	topic := kmsg.NewTxnOffsetCommitRequestTopic()
	topic.Topic, topic.TopicID = source, known[source].ID
	topic.Partitions = append(topic.Partitions, partition)
	request := kmsg.NewPtrTxnOffsetCommitRequest()
	request.TransactionalID = name
	request.Group = "_sub." + source + "/" + name
	request.ProducerID, request.ProducerEpoch = id, epoch
	request.Generation, request.MemberID = 1, name
	request.Topics = append(request.Topics, topic)
	answer, err := request.RequestWith(ctx, producer)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(answer.Topics[0].Partitions[0].ErrorCode)
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	source, target := os.Args[3], os.Args[4]
	left, err := strconv.Atoi(os.Args[5])
	must(err, "count")
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: os.Args[2],
		Logger: log.NewLoggerWithSlog(slog.New(slog.NewTextHandler(io.Discard, nil)))})
	must(err, "client")
	producer, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(os.Args[1], ",")...), kgo.TransactionalID(name),
		kgo.AllowAutoTopicCreation())
	must(err, "producer")
	consumer := subscribe(client, source)
	turn(ctx, consumer, producer, source, target, inATurn)
	must(producer.EndTransaction(ctx, kgo.TryAbort), "abort")
	consumer.Close()
	consumer = subscribe(client, source)
	for ; left > 0; left -= inATurn {
		turn(ctx, consumer, producer, source, target, min(left, inATurn))
		must(producer.EndTransaction(ctx, kgo.TryCommit), "commit")
	}
	consumer.Close()
	producer.Close()
	client.Close()
	fmt.Println("all ok")
}
