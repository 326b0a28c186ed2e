// franz-go against a running server: compressions, sizes, keys and headers come back as sent; a group commits, another one shares; quotas are set and kept to.
//
//	usage: go run ./franz BOOTSTRAP
//
// Prints a line per check; exits with 1 and one line at the first that fails.
package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const partitions = 16

func fail(format string, args ...any) {
	fmt.Printf("FAILED: "+format+"\n", args...)
	os.Exit(1)
}

func must(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func newTopic(ctx context.Context, seed string) string {
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(seed, ",")...))
	must(err, "client")
	defer client.Close()
	name := fmt.Sprintf("franz-%d", time.Now().UnixNano())
	_, err = kadm.NewClient(client).CreateTopic(ctx, partitions, 1, nil, name)
	must(err, "create topic")
	return name
}

func roundTrip(ctx context.Context, seed, name string, codec kgo.CompressionCodec, sizes []int, perSize int) {
	topic := newTopic(ctx, seed)
	producer, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(seed, ",")...), kgo.DefaultProduceTopic(topic),
		kgo.ProducerBatchCompression(codec), kgo.ProducerBatchMaxBytes(8_000_000), kgo.ProducerLinger(2*time.Millisecond))
	must(err, "producer")
	rng := rand.New(rand.NewSource(7))
	sent := map[string]*kgo.Record{}
	for _, size := range sizes {
		for n := 0; n < perSize; n++ {
			value := make([]byte, size)
			rng.Read(value[:(size+1)/2])
			key := fmt.Sprintf("%d-%d", size, n)
			record := &kgo.Record{Key: []byte(key), Value: value, Headers: []kgo.RecordHeader{
				{Key: "trace", Value: []byte{1, 2, 0}}, {Key: "trace", Value: nil}}}
			sent[key] = record
			producer.Produce(ctx, record, func(_ *kgo.Record, err error) { must(err, "produce "+key) })
		}
	}
	must(producer.Flush(ctx), "flush")
	producer.Close()

	group := topic + "-group"
	consumer, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(seed, ",")...), kgo.ConsumeTopics(topic), kgo.ConsumerGroup(group),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit(), kgo.FetchMaxPartitionBytes(8_000_000))
	must(err, "consumer")
	next := map[int32]int64{}
	seen := map[string]bool{}
	for len(seen) < len(sent) {
		fetches := consumer.PollFetches(ctx)
		for _, e := range fetches.Errors() {
			must(e.Err, "fetch")
		}
		fetches.EachRecord(func(r *kgo.Record) {
			key := string(r.Key)
			want, known := sent[key]
			if !known || seen[key] {
				fail("unexpected or repeated record %s", key)
			}
			if !bytes.Equal(r.Value, want.Value) || len(r.Headers) != 2 || r.Headers[1].Value != nil ||
				!bytes.Equal(r.Headers[0].Value, []byte{1, 2, 0}) {
				fail("record %s differs", key)
			}
			if r.Offset != next[r.Partition] {
				fail("offsets of partition %d are not dense", r.Partition)
			}
			next[r.Partition]++
			seen[key] = true
		})
	}
	must(consumer.CommitUncommittedOffsets(ctx), "commit")
	consumer.Close()

	admin, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(seed, ",")...))
	must(err, "client")
	offsets, err := kadm.NewClient(admin).FetchOffsets(ctx, group)
	must(err, "fetch offsets")
	for p, want := range next {
		if got, ok := offsets.Lookup(topic, p); !ok || got.At != want {
			fail("committed offset of partition %d is %v, expected %d", p, got.At, want)
		}
	}
	admin.Close()
	fmt.Printf("ok %s %d records of %v bytes\n", name, len(sent), sizes)
}

// Told by the server, with its answers, to wait.
type throttles struct{ count, nanos, last atomic.Int64 }

func (t *throttles) OnBrokerThrottle(_ kgo.BrokerMetadata, interval time.Duration, afterResponse bool) {
	if !afterResponse {
		fail("throttled for %v without having been answered", interval)
	}
	t.count.Add(1)
	t.nanos.Add(int64(interval))
	t.last.Store(int64(interval))
}

// Bytes a second; a second's worth goes at once.
const limit = 200_000

// Percent of a thread, and more records than that is good for.
const (
	percent  = 0.1
	sentMost = 10_000
)

func quotas(ctx context.Context, seed string) {
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(seed, ",")...))
	must(err, "client")
	defer client.Close()
	admin := kadm.NewClient(client)
	topic := fmt.Sprintf("franz-quota-%d", time.Now().UnixNano())
	_, err = admin.CreateTopic(ctx, 1, 1, nil, topic)
	must(err, "create topic")
	id := topic
	entity := kadm.ClientQuotaEntity{{Type: "client-id", Name: &id}}
	change := func(ops ...kadm.AlterClientQuotaOp) {
		altered, err := admin.AlterClientQuotas(ctx, []kadm.AlterClientQuotaEntry{{Entity: entity, Ops: ops}})
		must(err, "alter quotas")
		must(altered[0].Err, "alter quotas")
	}
	alter := func(remove bool) {
		change(kadm.AlterClientQuotaOp{Key: "producer_byte_rate", Value: limit, Remove: remove},
			kadm.AlterClientQuotaOp{Key: "consumer_byte_rate", Value: limit, Remove: remove})
	}
	described := func() kadm.DescribedClientQuotas {
		all, err := admin.DescribeClientQuotas(ctx, true, []kadm.DescribeClientQuotaComponent{{Type: "client-id", MatchName: &id}})
		must(err, "describe quotas")
		return all
	}
	// nodes hear of a change of another's a moment later
	until := func(right func(kadm.DescribedClientQuotas) bool) {
		all := described()
		for deadline := time.Now().Add(30 * time.Second); !right(all); all = described() {
			if time.Now().After(deadline) {
				fail("quotas are shown as %v", all)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	alter(false)
	until(func(all kadm.DescribedClientQuotas) bool {
		return len(all) == 1 && len(all[0].Values) == 2 && all[0].Values[0].Value == limit && all[0].Values[1].Value == limit
	})

	told := &throttles{}
	producer, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(seed, ",")...), kgo.ClientID(id), kgo.WithHooks(told),
		kgo.DefaultProduceTopic(topic), kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.ProducerBatchMaxBytes(12_000))
	must(err, "producer")
	const records = 100
	began := time.Now()
	for n := 0; n < records; n++ {
		producer.Produce(ctx, &kgo.Record{Value: make([]byte, 10_000)}, func(_ *kgo.Record, err error) { must(err, "produce") })
	}
	must(producer.Flush(ctx), "flush")
	rate := records * 10_000 / time.Since(began).Seconds()
	producer.Close()
	if rate > 1.5*limit || told.count.Load() == 0 {
		fail("%.0f bytes a second, throttled %d times", rate, told.count.Load())
	}

	told = &throttles{}
	consumer, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(seed, ",")...), kgo.ClientID(id), kgo.WithHooks(told),
		kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	must(err, "consumer")
	for seen := 0; seen < records/2; {
		fetches := consumer.PollFetches(ctx)
		for _, e := range fetches.Errors() {
			must(e.Err, "fetch")
		}
		seen += fetches.NumRecords()
	}
	consumer.Close()
	if told.count.Load() == 0 {
		fail("a consumer over its quota is not told")
	}
	alter(true)
	until(func(all kadm.DescribedClientQuotas) bool { return len(all) == 0 })
	fmt.Printf("ok quotas %.0f bytes a second of %d\n", rate, limit)

	change(kadm.AlterClientQuotaOp{Key: "request_percentage", Value: percent})
	until(func(all kadm.DescribedClientQuotas) bool {
		return len(all) == 1 && len(all[0].Values) == 1 && all[0].Values[0].Value == percent
	})
	waits(ctx, seed, topic, id)
	change(kadm.AlterClientQuotaOp{Key: "request_percentage", Remove: true})
	until(func(all kadm.DescribedClientQuotas) bool { return len(all) == 0 })
}

// Sends one record after the other until it was told to wait some times, and has waited.
func waits(ctx context.Context, seed, topic, id string) {
	told := &throttles{}
	producer, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(seed, ",")...), kgo.ClientID(id), kgo.WithHooks(told),
		kgo.DefaultProduceTopic(topic))
	must(err, "producer")
	defer producer.Close()
	send := func() { must(producer.ProduceSync(ctx, &kgo.Record{Value: []byte("x")}).FirstErr(), "produce") }
	send() // the connections on which it asks for metadata have heard what they hear
	began, before := time.Now(), told.count.Load()
	told.nanos.Store(0)
	sent := 0
	for ; told.count.Load() < before+6; sent++ {
		if sent == sentMost {
			fail("a client whose requests take too much time is not told")
		}
		send()
	}
	// what the last answer asks for is not over yet
	elapsed, waited := time.Since(began), time.Duration(told.nanos.Load()-told.last.Load())
	if elapsed < waited {
		fail("%v for requests that were told to wait %v", elapsed, waited)
	}
	fmt.Printf("ok quota of time, waits of %v in %v\n", waited, elapsed)
}

// Two members of a share group get every record once; what one gives back comes again, to any of them.
func shareGroup(ctx context.Context, seed string) {
	brokers := kgo.SeedBrokers(strings.Split(seed, ",")...)
	client, err := kgo.NewClient(brokers)
	must(err, "client")
	defer client.Close()
	admin := kadm.NewClient(client)
	topic := fmt.Sprintf("franz-share-%d", time.Now().UnixNano())
	_, err = admin.CreateTopic(ctx, 2, 1, nil, topic)
	must(err, "create topic")
	earliest := "earliest"
	alter := kmsg.NewPtrIncrementalAlterConfigsRequest()
	resource := kmsg.NewIncrementalAlterConfigsRequestResource()
	resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeGroupConfig, topic
	config := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	config.Name, config.Value = "share.auto.offset.reset", &earliest
	resource.Configs = append(resource.Configs, config)
	alter.Resources = append(alter.Resources, resource)
	altered, err := alter.RequestWith(ctx, client)
	must(err, "alter settings of a group")
	must(kerr.ErrorForCode(altered.Resources[0].ErrorCode), "alter settings of a group")
	for n := 0; n < 200; n++ {
		record := &kgo.Record{Topic: topic, Value: []byte(fmt.Sprint(n))}
		client.Produce(ctx, record, func(_ *kgo.Record, err error) { must(err, "produce") })
	}
	must(client.Flush(ctx), "flush")

	// nodes hear of a setting that was changed at another a moment later
	time.Sleep(time.Second)
	var members []*kgo.Client
	for range 2 {
		member, err := kgo.NewClient(brokers, kgo.ShareGroup(topic), kgo.ConsumeTopics(topic))
		must(err, "member")
		members = append(members, member)
	}
	done, released, again := map[string]bool{}, map[string]bool{}, 0
	for deadline := time.Now().Add(90 * time.Second); len(done) < 200; {
		if time.Now().After(deadline) {
			fail("only %d of 200 records of a share group are done", len(done))
		}
		for _, member := range members {
			short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
			member.PollFetches(short).EachRecord(func(r *kgo.Record) {
				place := fmt.Sprintf("%d-%d", r.Partition, r.Offset)
				if done[place] {
					fail("%s came again, though it was accepted", place)
				}
				if r.Offset%10 == 0 && !released[place] {
					released[place] = true
					r.Ack(kgo.AckRelease)
					return
				}
				if released[place] {
					again++
				}
				done[place] = true
				r.Ack(kgo.AckAccept)
			})
			cancel()
			must(member.FlushAcks(ctx), "acknowledge")
		}
	}
	if again != len(released) || again == 0 {
		fail("%d of %d records came again", again, len(released))
	}
	for _, member := range members {
		member.Close()
	}
	fmt.Println("ok share group of two members")
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	codecs := []struct {
		name  string
		codec kgo.CompressionCodec
	}{{"none", kgo.NoCompression()}, {"gzip", kgo.GzipCompression()}, {"snappy", kgo.SnappyCompression()},
		{"lz4", kgo.Lz4Compression()}, {"zstd", kgo.ZstdCompression()}}
	for _, c := range codecs {
		roundTrip(ctx, os.Args[1], c.name, c.codec, []int{1, 100, 10_000}, 200)
		roundTrip(ctx, os.Args[1], c.name, c.codec, []int{1_000_000, 5_000_000}, 2)
	}
	shareGroup(ctx, os.Args[1])
	quotas(ctx, os.Args[1])
	fmt.Println("all ok")
}
