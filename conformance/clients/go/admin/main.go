// pulsar-client-go's admin client, which pulsarctl is made of, against a running server: names that change in a URL.
//
//	usage: go run ./admin ADMIN_URL
//
// Prints a line per check; exits with 1 and one line at the first that fails.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/apache/pulsar-client-go/pulsaradmin"
	"github.com/apache/pulsar-client-go/pulsaradmin/pkg/utils"
)

func fail(format string, args ...any) {
	fmt.Printf("FAILED: "+format+"\n", args...)
	os.Exit(1)
}

func must(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

func expect(what string, got, want any) {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		fail("%s: %v in place of %v", what, got, want)
	}
}

// Everything that the client can do with a subscription here.
func subscription(client pulsaradmin.Client, topic utils.TopicName, name string) {
	must(client.Subscriptions().Create(topic, name, utils.Earliest), "create subscription "+name)
	names, err := client.Subscriptions().List(topic)
	must(err, "list subscriptions")
	expect("subscriptions", names, []string{name})
	must(client.Subscriptions().SkipMessages(topic, name, 1), "skip of "+name)
	must(client.Subscriptions().ClearBacklog(topic, name), "skip all of "+name)
	must(client.Subscriptions().ResetCursorToTimestamp(topic, name, 1), "reset to a time of "+name)
	must(client.Subscriptions().ResetCursorToMessageID(topic, name, utils.Earliest), "reset of "+name)
	must(client.Subscriptions().Delete(topic, name), "delete subscription "+name)
	names, err = client.Subscriptions().List(topic)
	must(err, "list subscriptions")
	expect("subscriptions that are left", names, []string{})
}

func topic(client pulsaradmin.Client, name utils.TopicName) {
	must(client.Topics().Create(name, 0), "create topic "+name.String())
	_, err := client.Topics().GetStats(name)
	must(err, "stats of "+name.String())
	schema := utils.PostSchemaPayload{SchemaType: "STRING", Properties: map[string]string{}}
	must(client.Schemas().CreateSchemaByPayload(name.String(), schema), "register schema of "+name.String())
	info, err := client.Schemas().GetSchemaInfo(name.String())
	must(err, "schema of "+name.String())
	expect("schema of "+name.String(), info.Type, "STRING")
	must(client.Schemas().DeleteSchema(name.String()), "delete schema of "+name.String())
	must(client.Topics().Delete(name, false, true), "delete topic "+name.String())
}

func main() {
	client, err := pulsaradmin.NewClient(&pulsaradmin.Config{WebServiceURL: os.Args[1]})
	must(err, "client")
	base := fmt.Sprintf("public/default/admin-%d", time.Now().UnixNano())
	plain, err := utils.GetTopicName(base)
	must(err, "topic's name")
	must(client.Topics().Create(*plain, 0), "create topic")
	for _, name := range []string{"plain", "a/b", "a b", "a%b", "50%", "a+b", "a%2Fb", "grün", "a&b=c?d#e;f"} {
		subscription(client, *plain, name)
		fmt.Println("ok subscription", name)
	}
	// Not a plus: it is written as Java's clients write a space.
	for _, name := range []string{"a b", "a%b", "50%", "grün", "a&b=c;f"} {
		encoded, err := utils.GetTopicName(base + name)
		must(err, "topic's name")
		topic(client, *encoded)
		fmt.Println("ok topic", name)
	}
	fmt.Println("all ok")
}
