// pulsar-client-go in transactions against a running server: what its own tests of transactions do.
//
//	usage: go run ./transactions SERVICE_URL ADMIN_URL
//
// Prints a line per check; exits with 1 and one line at the first that fails.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/log"
)

const (
	subscription = "s"
	quiet        = 300 * time.Millisecond
	open         = 10 * time.Minute
)

var serial atomic.Int64

func fail(format string, args ...any) {
	fmt.Printf("FAILED: "+format+"\n", args...)
	os.Exit(1)
}

func must(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func newTopic() string {
	return fmt.Sprintf("persistent://public/default/go-transactions-%d-%d", time.Now().UnixNano(), serial.Add(1))
}

type world struct {
	ctx    context.Context
	client pulsar.Client
	admin  string
	ports  map[int]bool // of all nodes
}

func (w world) begin() pulsar.Transaction {
	txn, err := w.client.NewTransaction(open)
	must(err, "begin")
	return txn
}

func (w world) commit(txn pulsar.Transaction) {
	must(txn.Commit(w.ctx), "commit")
	if txn.GetState() != pulsar.TxnCommitted {
		fail("a transaction is %v after its commit", txn.GetState())
	}
}

func (w world) abort(txn pulsar.Transaction) {
	must(txn.Abort(w.ctx), "abort")
}

func (w world) consumer(topic string) pulsar.Consumer {
	consumer, err := w.client.Subscribe(pulsar.ConsumerOptions{Topic: topic, SubscriptionName: subscription,
		SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest, MaxPendingChunkedMessage: 10})
	must(err, "subscribe")
	return consumer
}

func (w world) producer(options pulsar.ProducerOptions) pulsar.Producer {
	producer, err := w.client.CreateProducer(options)
	must(err, "create producer")
	return producer
}

func (w world) send(producer pulsar.Producer, txn pulsar.Transaction, value string) pulsar.MessageID {
	message := &pulsar.ProducerMessage{Payload: []byte(value)}
	if txn != nil {
		message.Transaction = txn
	}
	id, err := producer.Send(w.ctx, message)
	must(err, "send "+value)
	return id
}

func (w world) receive(consumer pulsar.Consumer, want string) pulsar.Message {
	message, err := consumer.Receive(w.ctx)
	must(err, "receive "+want)
	if string(message.Payload()) != want {
		fail("received %.20q in place of %.20q", message.Payload(), want)
	}
	return message
}

func (w world) nothing(consumer pulsar.Consumer, when string) {
	soon, cancel := context.WithTimeout(w.ctx, quiet)
	defer cancel()
	message, err := consumer.Receive(soon)
	if err == nil {
		fail("received %.20q %s", message.Payload(), when)
	}
}

func value(prefix string, n int) string {
	return prefix + strconv.Itoa(n)
}

func consumeAndProduce(w world, batching bool) {
	topic := newTopic()
	consumer := w.consumer(topic)
	producer := w.producer(pulsar.ProducerOptions{Topic: topic, DisableBatching: !batching})
	txn := w.begin()
	for n := range 10 {
		w.send(producer, nil, value("plain", n))
	}
	// of one more producer: a batch builder of this client's keeps the transaction of the batch before
	inside := w.producer(pulsar.ProducerOptions{Topic: topic, DisableBatching: !batching})
	for n := range 10 {
		w.send(inside, txn, value("inside", n))
	}
	for n := range 10 {
		must(consumer.Ack(w.receive(consumer, value("plain", n))), "ack")
	}
	w.nothing(consumer, "before the commit")
	w.commit(txn)
	acks := w.begin()
	for n := range 10 {
		must(consumer.AckWithTxn(w.receive(consumer, value("inside", n)), acks), "ack in a transaction")
	}
	w.commit(acks)
	consumer.Close()
	consumer = w.consumer(topic)
	w.nothing(consumer, "although all is acknowledged")
	consumer.Close()
	producer.Close()
	inside.Close()
	fmt.Println("ok consume and produce, batching", batching)
}

func ackAndSend(w world) {
	source, sink := newTopic(), newTopic()
	from, to := w.consumer(source), w.consumer(sink)
	feed := w.producer(pulsar.ProducerOptions{Topic: source})
	out := w.producer(pulsar.ProducerOptions{Topic: sink})
	for n := range 10 {
		w.send(feed, nil, value("m", n))
	}
	txn := w.begin()
	for n := range 10 {
		message := w.receive(from, value("m", n))
		w.send(out, txn, string(message.Payload()))
		must(from.AckWithTxn(message, txn), "ack in a transaction")
	}
	w.statistics(txn, source, sink)
	w.nothing(to, "before the commit")
	w.commit(txn)
	for n := range 10 {
		must(to.Ack(w.receive(to, value("m", n))), "ack")
	}
	from.Close()
	from = w.consumer(source)
	w.nothing(from, "although all is acknowledged")
	for _, c := range []interface{ Close() }{from, to, feed, out} {
		c.Close()
	}
	fmt.Println("ok ack and send")
}

// What the coordinator says of the open transaction.
func (w world) statistics(txn pulsar.Transaction, source, sink string) {
	id := txn.GetTxnID()
	answer, err := http.Get(fmt.Sprintf("%s/admin/v3/transactions/transactionMetadata/%d/%d", w.admin, id.MostSigBits, id.LeastSigBits))
	must(err, "statistics")
	defer answer.Body.Close()
	var facts struct {
		Status             string                                `json:"status"`
		ProducedPartitions map[string]json.RawMessage            `json:"producedPartitions"`
		AckedPartitions    map[string]map[string]json.RawMessage `json:"ackedPartitions"`
	}
	must(json.NewDecoder(answer.Body).Decode(&facts), "statistics")
	_, produced := facts.ProducedPartitions[sink]
	_, acked := facts.AckedPartitions[source][subscription]
	if facts.Status != "OPEN" || !produced || !acked {
		fail("statistics of a transaction: %+v", facts)
	}
}

func aborted(w world) {
	topic := newTopic()
	consumer := w.consumer(topic)
	producer := w.producer(pulsar.ProducerOptions{Topic: topic})
	txn := w.begin()
	for n := range 10 {
		w.send(producer, txn, value("aborted", n))
	}
	w.abort(txn)
	w.nothing(consumer, "of an aborted transaction")
	next := w.begin()
	w.send(producer, next, "committed")
	w.commit(next)
	w.receive(consumer, "committed")
	consumer.Close()
	producer.Close()
	fmt.Println("ok abort")
}

func chunked(w world) {
	topic := newTopic()
	producer := w.producer(pulsar.ProducerOptions{Topic: topic, EnableChunking: true, DisableBatching: true, ChunkMaxMessageSize: 100_000})
	consumer := w.consumer(topic)
	large := make([]byte, 1_000_000)
	for i := range large {
		large[i] = byte('a' + i%26)
	}
	txn := w.begin()
	w.send(producer, txn, string(large))
	w.nothing(consumer, "before the commit")
	w.commit(txn)
	message := w.receive(consumer, string(large))
	txn = w.begin()
	must(consumer.AckWithTxn(message, txn), "ack in a transaction")
	w.abort(txn)
	consumer.Close()
	consumer = w.consumer(topic)
	message = w.receive(consumer, string(large))
	txn = w.begin()
	must(consumer.AckWithTxn(message, txn), "ack in a transaction")
	w.commit(txn)
	consumer.Close()
	consumer = w.consumer(topic)
	w.nothing(consumer, "although all is acknowledged")
	consumer.Close()
	producer.Close()
	fmt.Println("ok chunked")
}

// Own ports of the connections that this process has to the server, by file descriptor.
func (w world) connections() map[int]int {
	found := make(map[int]int)
	for fd := range 1024 {
		peer, err := syscall.Getpeername(fd)
		there, isV4 := peer.(*syscall.SockaddrInet4)
		if err != nil || !isV4 || !w.ports[there.Port] {
			continue
		}
		own, err := syscall.Getsockname(fd)
		if here, isV4 := own.(*syscall.SockaddrInet4); err == nil && isV4 {
			found[fd] = here.Port
		}
	}
	return found
}

// Cuts the connections to the server, and waits until the client has noticed: what it has asked before it tells its user as failed.
func (w world) cut() {
	gone := make(map[int]bool)
	for fd, port := range w.connections() {
		gone[port] = true
		_ = syscall.Shutdown(fd, syscall.SHUT_RDWR)
	}
	if len(gone) == 0 {
		fail("there is no connection to cut")
	}
	for there := true; there; {
		must(w.ctx.Err(), "notice that connections are cut")
		there = false
		for _, port := range w.connections() {
			there = there || gone[port]
		}
		time.Sleep(time.Millisecond)
	}
}

func reconnecting(w world) {
	topic := newTopic()
	txn := w.begin()
	w.cut()
	w.commit(txn)
	consumer := w.consumer(topic)
	producer := w.producer(pulsar.ProducerOptions{Topic: topic})
	txn = w.begin()
	for n := range 10 {
		w.cut()
		w.send(producer, txn, value("m", n))
	}
	w.cut()
	w.nothing(consumer, "before the commit")
	w.commit(txn)
	for n := range 10 {
		must(consumer.Ack(w.receive(consumer, value("m", n))), "ack")
	}
	w.nothing(consumer, "although all was received")
	consumer.Close()
	producer.Close()
	fmt.Println("ok reconnect")
}

func endedTwice(w world) {
	txn := w.begin()
	w.commit(txn)
	var wrong *pulsar.Error
	if err := txn.Commit(w.ctx); !errors.As(err, &wrong) || wrong.Result() != pulsar.InvalidStatus {
		fail("a second commit: %v", err)
	}
	txn = w.begin()
	w.abort(txn)
	if err := txn.Commit(w.ctx); !errors.As(err, &wrong) || wrong.Result() != pulsar.InvalidStatus {
		fail("a commit after the abort: %v", err)
	}
	fmt.Println("ok ended twice")
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	ports := make(map[int]bool)
	for address := range strings.SplitSeq(strings.TrimPrefix(os.Args[1], "pulsar://"), ",") {
		_, named, err := net.SplitHostPort(address)
		must(err, "service url")
		port, err := strconv.Atoi(named)
		must(err, "service url")
		ports[port] = true
	}
	silent := log.NewLoggerWithSlog(slog.New(slog.NewTextHandler(io.Discard, nil)))
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: os.Args[1], Logger: silent, EnableTransaction: true})
	must(err, "client")
	w := world{ctx, client, os.Args[2], ports}
	consumeAndProduce(w, true)
	consumeAndProduce(w, false)
	ackAndSend(w)
	aborted(w)
	chunked(w)
	endedTwice(w)
	reconnecting(w)
	client.Close()
	fmt.Println("all ok")
}
