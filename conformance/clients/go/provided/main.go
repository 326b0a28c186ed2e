// franz-go and pulsar-client-go, which get their tokens from an identity provider (OAuth2, client credentials): the one by a library of
// Go's, the other by itself.
//
//	usage: go run ./provided FOLDER BOOTSTRAP SERVICE_URL ISSUER
//
// FOLDER has ca.pem, and alice.pulsar-go.json for Pulsar's client.
// Both write until the input ends; exits with 1 and one line at the first message that fails.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/log"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"golang.org/x/oauth2/clientcredentials"
)

const secret = "client secret"

var folder, bootstrap, serviceURL, issuer = os.Args[1], os.Args[2], os.Args[3], os.Args[4]

func must(err error, what string) {
	if err != nil {
		fmt.Printf("FAILED: %s: %v\n", what, err)
		os.Exit(1)
	}
}

// Sends until the context ends.
func repeat(ctx context.Context, name string, send func(context.Context) error) {
	for ctx.Err() == nil {
		within, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		must(send(within), name)
		cancel()
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func franz(ctx context.Context) {
	authorities, err := os.ReadFile(filepath.Join(folder, "ca.pem"))
	must(err, "ca.pem")
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authorities)
	provider := clientcredentials.Config{ClientID: "alice.franz-go", ClientSecret: secret, TokenURL: issuer + "/token"}
	client, err := kgo.NewClient(kgo.SeedBrokers(bootstrap), kgo.AllowAutoTopicCreation(),
		kgo.DialTLSConfig(&tls.Config{RootCAs: pool}),
		kgo.SASL(oauth.Oauth(func(ctx context.Context) (oauth.Auth, error) {
			token, err := provider.Token(ctx)
			if err != nil {
				return oauth.Auth{}, err
			}
			return oauth.Auth{Token: token.AccessToken}, nil
		})))
	must(err, "franz-go")
	repeat(ctx, "franz-go", func(ctx context.Context) error {
		return client.ProduceSync(ctx, &kgo.Record{Topic: "secured-provided-franz", Value: []byte("hello")}).FirstErr()
	})
	client.Close()
}

func pulsarGo(ctx context.Context) {
	client, err := pulsar.NewClient(pulsar.ClientOptions{
		URL: serviceURL, TLSTrustCertsFilePath: filepath.Join(folder, "ca.pem"), TLSValidateHostname: true,
		Authentication: pulsar.NewAuthenticationOAuth2(map[string]string{
			"type": "client_credentials", "issuerUrl": issuer, "audience": "sluice", "clientId": "alice.pulsar-go",
			"privateKey": "file://" + filepath.Join(folder, "alice.pulsar-go.json")}),
		OperationTimeout: 20 * time.Second, Logger: log.NewLoggerWithSlog(slog.New(slog.NewTextHandler(io.Discard, nil)))})
	must(err, "pulsar-client-go")
	producer, err := client.CreateProducer(pulsar.ProducerOptions{Topic: "secured-provided-go"})
	must(err, "pulsar-client-go")
	repeat(ctx, "pulsar-client-go", func(ctx context.Context) error {
		_, err := producer.Send(ctx, &pulsar.ProducerMessage{Payload: []byte("hello")})
		return err
	})
	client.Close()
}

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	var clients sync.WaitGroup
	for _, client := range []func(context.Context){franz, pulsarGo} {
		clients.Go(func() { client(ctx) })
	}
	clients.Wait()
	fmt.Println("all ok")
}
