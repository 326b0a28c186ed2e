// franz-go as one application of EverythingAtOnceTest: an idempotent producer, and the only member of a group.
//
//	usage: go run ./application ID BOOTSTRAP
//
// Takes orders on its input and tells what it was answered and received, a line each; see ApplicationProgram.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sys/unix"
)

const (
	keys     = 5
	ordinary = "ordinary"
	elastic  = "elastic"
	group    = "franz"
)

var turns sync.Mutex

func tell(words ...any) {
	turns.Lock()
	defer turns.Unlock()
	line := strings.ReplaceAll(fmt.Sprintln(words...), "\n", " ")
	fmt.Print(line + ".\n")
}

// By the clock that all processes of the machine share.
func nanos() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err)
	}
	return now.Nano()
}

func newClient(id, seed string, more ...kgo.Opt) *kgo.Client {
	client, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(strings.Split(seed, ",")...), kgo.ClientID(id),
		kgo.RetryBackoffFn(func(int) time.Duration { return 100 * time.Millisecond })}, more...)...)
	if err != nil {
		tell("wrong", "no client: ", err)
		os.Exit(1)
	}
	return client
}

func send(producer *kgo.Client, load string, number int64) {
	topic := elastic
	if strings.HasPrefix(load, ordinary) {
		topic = ordinary
	}
	record := &kgo.Record{
		Topic: topic,
		Key:   []byte(fmt.Sprintf("%s:%d", load, number%keys)),
		Value: []byte(fmt.Sprintf("%s:%d", load, number)),
	}
	producer.Produce(context.Background(), record, func(r *kgo.Record, err error) {
		if err == nil {
			tell("acknowledged", load, number, fmt.Sprintf("%s-%d@%d", r.Topic, r.Partition, r.Offset))
		} else {
			tell("refused", load, number, err)
		}
	})
}

// Whether the member goes on by itself: the server is away, or the group gives its partitions out anew.
func passes(err error) bool {
	var lost *kgo.ErrGroupSession
	var away net.Error
	return errors.As(err, &away) || errors.Is(err, io.EOF) || kerr.IsRetriable(err) || kgo.IsRetryableBrokerErr(err) || errors.As(err, &lost) ||
		errors.Is(err, kerr.IllegalGeneration) || errors.Is(err, kerr.UnknownMemberID) ||
		errors.Is(err, kerr.RebalanceInProgress) || errors.Is(err, context.DeadlineExceeded)
}

func read(ctx context.Context, consumer *kgo.Client) {
	committed := map[int32]int64{}
	for ctx.Err() == nil {
		fetches := consumer.PollFetches(ctx)
		for _, e := range fetches.Errors() {
			if ctx.Err() == nil && !passes(e.Err) {
				tell("wrong", group, "gave up: ", e.Err)
			}
		}
		following := map[int32]int64{}
		var received []*kgo.Record
		fetches.EachRecord(func(r *kgo.Record) {
			load, number, _ := strings.Cut(string(r.Value), ":")
			tell("received", group, load, number, nanos())
			if r.Offset < committed[r.Partition] {
				tell("wrong", group, "received", r.Partition, r.Offset, "after its commit of", committed[r.Partition])
			}
			following[r.Partition] = r.Offset + 1
			received = append(received, r)
		})
		if len(following) == 0 {
			continue
		}
		within, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		// not CommitUncommittedOffsets: once the session is lost nothing is uncommitted, and committing nothing succeeds
		err := consumer.CommitRecords(within, received...)
		cancel()
		if err == nil {
			for partition, offset := range following {
				committed[partition] = offset
			}
		} else if !passes(err) {
			tell("wrong", group, "cannot commit: ", err)
		}
	}
	consumer.Close()
}

func main() {
	id, seed := os.Args[1], os.Args[2]
	producer := newClient(id, seed, kgo.RecordDeliveryTimeout(3*time.Minute), kgo.ProducerLinger(5*time.Millisecond))
	consumer := newClient(id, seed, kgo.ConsumerGroup(group), kgo.InstanceID("member-"+id), kgo.ConsumeTopics(ordinary),
		kgo.SessionTimeout(10*time.Second), kgo.DisableAutoCommit(), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	ctx, end := context.WithCancel(context.Background())
	var reader sync.WaitGroup
	reader.Go(func() { read(ctx, consumer) })
	tell("ready")
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		words := strings.Fields(orders.Text())
		number, err := strconv.ParseInt(words[2], 10, 64)
		if err != nil {
			tell("wrong", "no order: ", orders.Text())
			continue
		}
		send(producer, words[1], number)
	}
	within, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := producer.Flush(within); err != nil {
		tell("wrong", "not all is answered: ", err)
	}
	end()
	reader.Wait()
	producer.Close()
}
