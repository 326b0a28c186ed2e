// gorilla/websocket beside pulsar-client-go: a partitioned topic, and a client that does not read.
//
//	usage: go run ./websocket SERVICE_URL HTTP_URL
//
// Prints a line per check; exits with 1 and one line at the first that fails.
package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/apache/pulsar-client-go/pulsar"
	"github.com/gorilla/websocket"
)

const topic = "go-websocket"

type message struct {
	MessageId  string            `json:"messageId,omitempty"`
	Payload    string            `json:"payload,omitempty"`
	Key        string            `json:"key,omitempty"`
	Properties map[string]string `json:"properties,omitempty"`
	Result     string            `json:"result,omitempty"`
	Context    string            `json:"context,omitempty"`
}

func fail(format string, args ...any) {
	fmt.Printf("FAILED: "+format+"\n", args...)
	os.Exit(1)
}

func must(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func open(root, path string) *websocket.Conn {
	socket, _, err := websocket.DefaultDialer.Dial(root+path, nil)
	must(err, "open "+path)
	must(socket.SetReadDeadline(time.Now().Add(60*time.Second)), "deadline")
	return socket
}

func main() {
	defer fmt.Println("all ok") // behind what the client logs when it closes
	client, err := pulsar.NewClient(pulsar.ClientOptions{URL: os.Args[1]})
	must(err, "client")
	defer client.Close()
	root := strings.Replace(os.Args[2], "http", "ws", 1) + "/ws/v2/"
	request, err := http.NewRequest(
		http.MethodPut, os.Args[2]+"/admin/v2/persistent/public/default/"+topic+"/partitions", strings.NewReader("3"))
	must(err, "request")
	request.Header.Set("content-type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	must(err, "make the topic")
	if answer.StatusCode != http.StatusNoContent {
		fail("make the topic: %v", answer.Status)
	}

	unread := open(root, "consumer/persistent/public/default/"+topic+"/unread?subscriptionInitialPosition=Earliest")
	defer unread.Close()
	reading := open(root, "consumer/persistent/public/default/"+topic+"/read?subscriptionInitialPosition=Earliest&receiverQueueSize=10")
	producer := open(root, "producer/persistent/public/default/"+topic+"?messageRoutingMode=RoundRobinPartition")
	const count, size = 600, 40_000
	filling := strings.Repeat("x", size)
	go func() {
		for i := 0; i < count; i++ {
			payload := base64.StdEncoding.EncodeToString([]byte(fmt.Sprint(i) + filling))
			must(producer.WriteJSON(message{Payload: payload, Context: fmt.Sprint(i)}), "send")
		}
	}()
	sent := map[string]bool{}
	for i := 0; i < count; i++ {
		var receipt message
		must(producer.ReadJSON(&receipt), "receipt")
		if receipt.Result != "ok" {
			fail("receipt: %v", receipt)
		}
		sent[receipt.MessageId] = true
	}
	for i := 0; i < count; i++ {
		var next message
		must(reading.ReadJSON(&next), "read")
		if !sent[next.MessageId] {
			fail("message %v was not sent, or comes twice", next.MessageId)
		}
		delete(sent, next.MessageId)
		must(reading.WriteJSON(message{MessageId: next.MessageId}), "acknowledge")
	}
	fmt.Println("ok all partitions over WebSocket, beside a client that does not read")

	consumer, err := client.Subscribe(pulsar.ConsumerOptions{
		Topic: topic, SubscriptionName: "pulsar",
		SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest,
	})
	must(err, "subscribe")
	defer consumer.Close()
	seen := map[string]bool{}
	soon, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for i := 0; i < count; i++ {
		next, err := consumer.Receive(soon)
		must(err, "receive")
		seen[string(next.Payload())[:len(next.Payload())-size]] = true
		must(consumer.Ack(next), "acknowledge")
	}
	if len(seen) != count {
		fail("%d of %d messages", len(seen), count)
	}
	fmt.Println("ok Pulsar's client reads what came over WebSocket")
}
