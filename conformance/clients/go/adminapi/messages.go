package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/apache/pulsar-client-go/pulsar/log"
)

// Sends what the calls are about, and knows where the last message is.
type messages struct {
	client pulsar.Client
	last   pulsar.MessageID
}

func newMessages(url string) (*messages, error) {
	quiet := log.NewLoggerWithSlog(slog.New(slog.NewTextHandler(io.Discard, nil)))
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: url, Logger: quiet})
	return &messages{client: client}, err
}

// A topic and the texts to send there, one after the other.
func (m *messages) send(line string) error {
	words := strings.Fields(line)
	producer, err := m.client.CreateProducer(pulsar.ProducerOptions{Topic: words[0], Name: "p", DisableBatching: true})
	if err != nil {
		return err
	}
	defer producer.Close()
	for _, text := range words[1:] {
		m.last, err = producer.Send(context.Background(), &pulsar.ProducerMessage{Payload: []byte(text), Key: "k"})
		if err != nil {
			return err
		}
	}
	return nil
}

// Puts the place of the last message where the names for it are.
func (m *messages) show(text string) string {
	if m.last == nil {
		return text
	}
	return strings.NewReplacer(
		"$ledger", fmt.Sprint(m.last.LedgerID()), "$entry", fmt.Sprint(m.last.EntryID())).Replace(text)
}

var ledgers = regexp.MustCompile(`/ledger/\d+/`)

// The other way round: ids of ledgers are not the same on two servers.
func (m *messages) hide(request string) string {
	return ledgers.ReplaceAllString(request, "/ledger/0/")
}
