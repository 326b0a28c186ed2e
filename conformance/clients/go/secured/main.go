// franz-go and pulsar-client-go against a server with TLS, logins and access rules: who is let in, and who hears why not.
//
//	usage: go run ./secured FOLDER PASSWORD BOOTSTRAP SERVICE_URL SUBSCRIPTIONS
//
// FOLDER has ca.pem; alice.pem with its key and alice.token; node.pem with its key, of another authority; expired.token;
// mallory.pem, which is revoked, with its key.
// alice may use topics and groups that begin with secured-, and not the topic forbidden; she administers the tenant acme, and the
// subscription of-dan of public/default is for dan alone. Each user may have so many SUBSCRIPTIONS (0: not tried), and counted-go, with its token, may
// use topics and groups that begin with secured-, too.
// Prints a line per check; exits with 1 and one line at the first that fails.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/log"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// In which a client that is not let in hears so.
const soon = 20 * time.Second

var folder, password, bootstrap, serviceURL = os.Args[1], os.Args[2], os.Args[3], os.Args[4]

func fail(format string, args ...any) {
	fmt.Printf("FAILED: "+format+"\n", args...)
	os.Exit(1)
}

func must(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func path(name string) string {
	return filepath.Join(folder, name)
}

func text(name string) string {
	content, err := os.ReadFile(path(name))
	must(err, name)
	return strings.TrimSpace(string(content))
}

// ---- franz-go ----

func trust(authorities string, certificate string) kgo.Opt {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(text(authorities))) {
		fail("no certificates in %s", authorities)
	}
	config := &tls.Config{RootCAs: pool}
	if certificate != "" {
		shown, err := tls.LoadX509KeyPair(path(certificate+".pem"), path(certificate+"-key.pem"))
		must(err, certificate)
		config.Certificates = []tls.Certificate{shown}
	}
	return kgo.DialTLSConfig(config)
}

func login(mechanism sasl.Mechanism) []kgo.Opt {
	return []kgo.Opt{trust("ca.pem", ""), kgo.SASL(mechanism)}
}

func passwordLogin(name, password string) sasl.Mechanism {
	switch name {
	case "PLAIN":
		return plain.Auth{User: "alice", Pass: password}.AsMechanism()
	case "SCRAM-SHA-256":
		return scram.Auth{User: "alice", Pass: password}.AsSha256Mechanism()
	default:
		return scram.Auth{User: "alice", Pass: password}.AsSha512Mechanism()
	}
}

func kafka(options []kgo.Opt, more ...kgo.Opt) *kgo.Client {
	all := append([]kgo.Opt{kgo.SeedBrokers(strings.Split(bootstrap, ",")...), kgo.AllowAutoTopicCreation()}, options...)
	client, err := kgo.NewClient(append(all, more...)...)
	must(err, "client")
	return client
}

func kafkaRoundTrip(ctx context.Context, name string, options []kgo.Opt) {
	producer := kafka(options)
	sent, err := producer.ProduceSync(ctx, &kgo.Record{Topic: "secured-franz", Value: []byte("hello")}).First()
	must(err, name)
	producer.Close()
	consumer := kafka(options, kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{
		"secured-franz": {sent.Partition: kgo.NewOffset().At(sent.Offset)}}))
	fetches := consumer.PollFetches(ctx)
	must(fetches.Err(), name)
	if read := fetches.Records(); len(read) != 1 || string(read[0].Value) != "hello" {
		fail("%s: read %v", name, read)
	}
	consumer.Close()
	fmt.Printf("ok franz-go, %s\n", name)
}

func delegationToken(ctx context.Context) {
	alice := kafka(login(passwordLogin("SCRAM-SHA-512", password)))
	token, err := kmsg.NewPtrCreateDelegationTokenRequest().RequestWith(ctx, alice)
	must(err, "delegation token")
	must(kerr.ErrorForCode(token.ErrorCode), "delegation token")
	secret := base64.StdEncoding.EncodeToString(token.HMAC)
	kafkaRoundTrip(ctx, "delegation token", login(scram.Auth{User: token.TokenID, Pass: secret, IsToken: true}.AsSha512Mechanism()))
	kafkaRefused(ctx, "delegation token with a wrong secret", "SASL_AUTHENTICATION_FAILED",
		login(scram.Auth{User: token.TokenID, Pass: "wrong", IsToken: true}.AsSha256Mechanism()))
	end := kmsg.NewPtrExpireDelegationTokenRequest()
	end.HMAC, end.ExpiryPeriodMillis = token.HMAC, -1
	ended, err := end.RequestWith(ctx, alice)
	must(err, "end of the delegation token")
	must(kerr.ErrorForCode(ended.ErrorCode), "end of the delegation token")
	kafkaRefused(ctx, "delegation token that has ended", "SASL_AUTHENTICATION_FAILED",
		login(scram.Auth{User: token.TokenID, Pass: secret, IsToken: true}.AsSha512Mechanism()))
	alice.Close()
}

// By Ping, which asks once: a producer tries a server that does not let it in until its context ends.
func kafkaRefused(ctx context.Context, name, words string, options []kgo.Opt) {
	client := kafka(options)
	begun := time.Now()
	expect("franz-go, "+name, client.Ping(ctx), words, begun)
	client.Close()
}

func expect(name string, err error, words string, begun time.Time) {
	if err == nil || !strings.Contains(err.Error(), words) {
		fail("%s: %v, expected %s", name, err, words)
	}
	if took := time.Since(begun); took > soon/2 {
		fail("%s: after %v", name, took)
	}
	fmt.Printf("ok %s\n", name)
}

func kafkaWithoutRight(ctx context.Context) {
	options := login(passwordLogin("SCRAM-SHA-512", password))
	client := kafka(options)
	_, err := client.ProduceSync(ctx, &kgo.Record{Topic: "forbidden", Value: []byte("hello")}).First()
	if !errors.Is(err, kerr.TopicAuthorizationFailed) {
		fail("produce without a right: %v", err)
	}
	client.Close()
	for _, each := range []struct {
		group, topic string
		want         error
	}{{"secured-g", "forbidden", kerr.TopicAuthorizationFailed}, {"another", "secured-franz", kerr.GroupAuthorizationFailed}} {
		consumer := kafka(options, kgo.ConsumerGroup(each.group), kgo.ConsumeTopics(each.topic))
		if err := consumer.PollFetches(ctx).Err(); !errors.Is(err, each.want) {
			fail("%s in the group %s: %v", each.topic, each.group, err)
		}
		consumer.Close()
	}
	fmt.Println("ok franz-go, without a right")
}

func franz(ctx context.Context) {
	for _, name := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		kafkaRoundTrip(ctx, name, login(passwordLogin(name, password)))
		kafkaRefused(ctx, name+" with a wrong password", "SASL_AUTHENTICATION_FAILED", login(passwordLogin(name, "wrong")))
	}
	delegationToken(ctx)
	kafkaRoundTrip(ctx, "OAUTHBEARER", login(oauth.Auth{Token: text("alice.token")}.AsMechanism()))
	// the answer has invalid_token, of which this client says no more
	kafkaRefused(ctx, "OAUTHBEARER with a token that has ended", "unexpected data in oauth response",
		login(oauth.Auth{Token: text("expired.token")}.AsMechanism()))
	kafkaRoundTrip(ctx, "certificate", []kgo.Opt{trust("ca.pem", "alice")})
	kafkaRefused(ctx, "certificate of another authority", "unknown certificate authority", []kgo.Opt{trust("ca.pem", "node")})
	kafkaRefused(ctx, "revoked certificate", "revoked certificate", []kgo.Opt{trust("ca.pem", "mallory")})
	kafkaRefused(ctx, "a server of another authority", "unknown authority", []kgo.Opt{trust("node-ca.pem", "alice")})
	kafkaWithoutRight(ctx)
}

// ---- pulsar-client-go ----

// This client tries a server that does not let it in until the timeout, and says that it has no connection; why, it says in its log.
const noConnection = "connection error"

func client(authentication pulsar.Authentication, authorities string, timeout time.Duration) pulsar.Client {
	made, err := pulsar.NewClient(pulsar.ClientOptions{
		URL: serviceURL, Authentication: authentication, TLSTrustCertsFilePath: path(authorities), TLSValidateHostname: true,
		OperationTimeout: timeout, Logger: log.NewLoggerWithSlog(slog.New(slog.NewTextHandler(io.Discard, nil)))})
	must(err, "client")
	return made
}

func certificate(name string) pulsar.Authentication {
	return pulsar.NewAuthenticationTLS(path(name+".pem"), path(name+"-key.pem"))
}

func basic(password string) pulsar.Authentication {
	made, err := pulsar.NewAuthenticationBasic("alice", password)
	must(err, "basic")
	return made
}

func pulsarRoundTrip(ctx context.Context, name string, authentication pulsar.Authentication, topic string) {
	with := client(authentication, "ca.pem", soon)
	consumer, err := with.Subscribe(pulsar.ConsumerOptions{Topic: topic, SubscriptionName: "s"})
	must(err, name)
	producer, err := with.CreateProducer(pulsar.ProducerOptions{Topic: topic})
	must(err, name)
	_, err = producer.Send(ctx, &pulsar.ProducerMessage{Payload: []byte("hello")})
	must(err, name)
	message, err := consumer.Receive(ctx)
	must(err, name)
	if string(message.Payload()) != "hello" {
		fail("%s: received %s", name, message.Payload())
	}
	must(consumer.Ack(message), name)
	with.Close()
	fmt.Printf("ok pulsar-client-go, %s\n", name)
}

func pulsarRefused(name, words string, authentication pulsar.Authentication, topic, authorities string) {
	patience := soon
	if words == noConnection {
		patience = 2 * time.Second // it tries again until then
	}
	refused := client(authentication, authorities, patience)
	begun := time.Now()
	_, err := refused.CreateProducer(pulsar.ProducerOptions{Topic: topic})
	expect("pulsar-client-go, the producer, "+name, err, words, begun)
	begun = time.Now()
	_, err = refused.Subscribe(pulsar.ConsumerOptions{Topic: topic, SubscriptionName: "s"})
	expect("pulsar-client-go, the consumer, "+name, err, words, begun)
	refused.Close()
}

func subscriptionOfAnother(authentication pulsar.Authentication, topic string) {
	refused := client(authentication, "ca.pem", soon)
	begun := time.Now()
	_, err := refused.Subscribe(pulsar.ConsumerOptions{Topic: topic, SubscriptionName: "of-dan"})
	expect("pulsar-client-go, a subscription of another", err, "AuthorizationError", begun)
	refused.Close()
}

func pulsarGo(ctx context.Context) {
	token := pulsar.NewAuthenticationToken(text("alice.token"))
	const ours = "secured-go"
	pulsarRoundTrip(ctx, "token", token, ours)
	pulsarRoundTrip(ctx, "basic", basic(password), ours)
	pulsarRoundTrip(ctx, "certificate", certificate("alice"), ours)
	pulsarRoundTrip(ctx, "an administrator of the tenant", token, "persistent://acme/shop/go")
	subscriptionOfAnother(token, ours)
	pulsarRefused("a token that has ended", noConnection, pulsar.NewAuthenticationToken(text("expired.token")), ours, "ca.pem")
	pulsarRefused("basic with a wrong password", noConnection, basic("wrong"), ours, "ca.pem")
	pulsarRefused("nobody", noConnection, nil, ours, "ca.pem")
	pulsarRefused("certificate of another authority", noConnection, certificate("node"), ours, "ca.pem")
	pulsarRefused("revoked certificate", noConnection, certificate("mallory"), ours, "ca.pem")
	pulsarRefused("a server of another authority", noConnection, token, ours, "node-ca.pem")
	pulsarRefused("without a right", "AuthorizationError", token, "forbidden", "ca.pem")
}

// ---- as many subscriptions as a user may have ----

const counted = "secured-counted-go"

func member(group string, options ...kgo.Opt) *kgo.Client {
	all := append(options, kgo.ConsumerGroup("secured-"+group), kgo.ConsumeTopics(counted))
	return kafka(login(oauth.Auth{Token: text("counted-go.token")}.AsMechanism()), all...)
}

// Of a topic with a record, which it gets when it has joined.
func joined(ctx context.Context, group string, options ...kgo.Opt) *kgo.Client {
	consumer := member(group, append(options, kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))...)
	fetches := consumer.PollFetches(ctx)
	must(fetches.Err(), group)
	if fetches.NumRecords() == 0 {
		fail("%s: no records", group)
	}
	return consumer
}

func noMember(ctx context.Context, options ...kgo.Opt) {
	consumer := member("one-more", options...)
	if err := consumer.PollFetches(ctx).Err(); !errors.Is(err, kerr.GroupMaxSizeReached) {
		fail("one member more: %v", err)
	}
	consumer.Close()
}

func noConsumer(connected pulsar.Client) {
	_, err := connected.Subscribe(pulsar.ConsumerOptions{Topic: counted, SubscriptionName: "one-more"})
	if err == nil || !strings.Contains(err.Error(), "NotAllowedError") {
		fail("one consumer more: %v", err)
	}
}

// Of one user, of both protocols together.
func subscriptions(ctx context.Context, most int) {
	newer := kgo.ServerSideBalancer()
	producer := kafka(login(oauth.Auth{Token: text("counted-go.token")}.AsMechanism()))
	must(producer.ProduceSync(ctx, &kgo.Record{Topic: counted, Value: []byte("hello")}).FirstErr(), "a record of who is counted")
	producer.Close()
	connected := client(pulsar.NewAuthenticationToken(text("counted-go.token")), "ca.pem", soon)
	var consumers []pulsar.Consumer
	subscribe := func(name string) {
		consumer, err := connected.Subscribe(pulsar.ConsumerOptions{Topic: counted, SubscriptionName: name})
		must(err, name)
		consumers = append(consumers, consumer)
	}
	for n := range most - 2 {
		subscribe(fmt.Sprintf("s%d", n))
	}
	members := []*kgo.Client{joined(ctx, "classic"), joined(ctx, "newer", newer)}
	noConsumer(connected)
	fmt.Println("ok pulsar-client-go, one consumer more")
	noMember(ctx)
	noMember(ctx, newer)
	fmt.Println("ok franz-go, one member more")
	consumers[0].Close()
	joined(ctx, "instead-classic").Close()
	members = append(members, joined(ctx, "instead-newer", newer))
	noConsumer(connected)
	for n, each := range members {
		each.Close()
		subscribe(fmt.Sprintf("again%d", n))
	}
	noConsumer(connected)
	connected.Close()
	fmt.Println("ok franz-go and pulsar-client-go, places of those that have left")
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	franz(ctx)
	pulsarGo(ctx)
	most, err := strconv.Atoi(os.Args[5])
	must(err, "subscriptions")
	if most > 0 {
		subscriptions(ctx, most)
	}
	fmt.Println("all ok")
}
