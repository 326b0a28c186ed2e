package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"sort"
	"strings"
	"time"

	"github.com/apache/pulsar-client-go/pulsaradmin/pkg/admin"
	"github.com/apache/pulsar-client-go/pulsaradmin/pkg/admin/config"
	"github.com/apache/pulsar-client-go/pulsaradmin/pkg/rest"
	"github.com/apache/pulsar-client-go/pulsaradmin/pkg/utils"
)

// Pulsar takes a moment until a policy of a topic counts.
const policiesWithin = 10 * time.Second

// A part of the admin client, with the methods that were called.
type service struct {
	value  reflect.Value
	called map[string]bool
}

// Parts of the admin client by their names.
type services map[string]*service

// Those of functions ask for packages in version 3, as pulsarctl does.
func newServices(url string, wire *wire) (services, error) {
	v2, err := admin.NewPulsarClientWithAuthProvider(&config.Config{WebServiceURL: url}, wire)
	if err != nil {
		return nil, err
	}
	v3, err := admin.NewPulsarClientWithAuthProvider(&config.Config{WebServiceURL: url, PulsarAPIVersion: config.V3}, wire)
	if err != nil {
		return nil, err
	}
	policies := v2.(admin.TopicPoliciesProvider)
	all := services{}
	add := func(name string, value any) {
		all[name] = &service{reflect.ValueOf(value), map[string]bool{}}
	}
	add("Brokers", v2.Brokers())
	add("BrokerStats", v2.BrokerStats())
	add("Clusters", v2.Clusters())
	add("Functions", v3.Functions())
	add("FunctionsWorker", v2.FunctionsWorker())
	add("Namespaces", v2.Namespaces())
	add("NsIsolationPolicy", v2.NsIsolationPolicy())
	add("Packages", v3.Packages())
	add("ResourceQuotas", v2.ResourceQuotas())
	add("Schemas", v2.Schemas())
	add("Sinks", v3.Sinks())
	add("Sources", v3.Sources())
	add("Subscriptions", v2.Subscriptions())
	add("Tenants", v2.Tenants())
	add("TopicPolicies", policies.TopicPolicies(false))
	add("GlobalTopicPolicies", policies.TopicPolicies(true))
	add("Topics", v2.Topics())
	return all, nil
}

func (s services) has(service, method string) bool {
	return s[service].value.MethodByName(method).IsValid()
}

// Methods that calls.txt leaves out. A method with a context does what the one without does. Functions, and connectors with them, are not
// there on either server: some calls show how that is said.
func (s services) notCalled() []string {
	var missing []string
	for name, service := range s {
		if name == "Functions" || name == "Sinks" || name == "Sources" || name == "GlobalTopicPolicies" {
			continue
		}
		methods := service.value.Type()
		for i := range methods.NumMethod() {
			method := methods.Method(i).Name
			plain, withContext := strings.CutSuffix(method, "WithContext")
			if !service.called[method] && !(withContext && s.has(name, plain)) {
				missing = append(missing, name+"."+method)
			}
		}
	}
	sort.Strings(missing)
	return missing
}

// Calls a method with values in JSON, and keeps the answer.
func (p *player) call(name, values string) (answer, error) {
	body, err := p.invoke(name, values)
	if err != nil {
		return answer{}, err
	}
	return p.keep(name, values, body), nil
}

// As call, again and again until the answer is another one than before.
func (p *player) until(name, values string, before *answer) (answer, error) {
	for end := time.Now().Add(policiesWithin); before != nil && time.Now().Before(end); {
		body, err := p.invoke(name, values)
		if err != nil {
			return answer{}, err
		}
		if !reflect.DeepEqual(body, before.Body) {
			break
		}
		p.wire.take()
		time.Sleep(50 * time.Millisecond)
	}
	p.wire.take()
	return p.call(name, values)
}

func (p *player) invoke(name, values string) (any, error) {
	of, method, _ := strings.Cut(name, ".")
	service := p.services[of]
	if service == nil || !p.services.has(of, method) {
		return nil, errors.New("no such method: " + name)
	}
	service.called[method] = true
	function := service.value.MethodByName(method)
	decoder := json.NewDecoder(strings.NewReader(p.messages.show(values)))
	var arguments []reflect.Value
	for i := range function.Type().NumIn() {
		argument, err := read(decoder, function.Type().In(i))
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, argument)
	}
	if decoder.More() {
		return nil, errors.New("too many values")
	}
	return plain(function.Call(arguments))
}

var contextType = reflect.TypeFor[context.Context]()

func read(decoder *json.Decoder, wanted reflect.Type) (reflect.Value, error) {
	switch wanted {
	case contextType:
		return reflect.ValueOf(context.Background()), nil
	case reflect.TypeFor[utils.TopicName]():
		return named(decoder, utils.GetTopicName)
	case reflect.TypeFor[utils.NameSpaceName]():
		return named(decoder, utils.GetNamespaceName)
	case reflect.TypeFor[utils.MessageID]():
		return named(decoder, utils.ParseMessageID)
	}
	value := reflect.New(wanted)
	var raw json.RawMessage
	if err := decoder.Decode(&raw); err != nil {
		return value, err
	}
	if err := json.Unmarshal(raw, value.Interface()); err != nil {
		return value, err
	}
	// Names are in the path, and so not among the fields that JSON has.
	var names struct{ Name, ClusterName, DomainName string }
	if wanted.Kind() == reflect.Struct && json.Unmarshal(raw, &names) == nil {
		for field, name := range map[string]string{"Name": names.Name, "ClusterName": names.ClusterName, "DomainName": names.DomainName} {
			if f := value.Elem().FieldByName(field); name != "" && f.IsValid() {
				f.SetString(name)
			}
		}
	}
	return value.Elem(), nil
}

func named[T any](decoder *json.Decoder, parse func(string) (*T, error)) (reflect.Value, error) {
	var text string
	if err := decoder.Decode(&text); err != nil {
		return reflect.Value{}, err
	}
	parsed, err := parse(text)
	if err != nil {
		return reflect.Value{}, err
	}
	return reflect.ValueOf(*parsed), nil
}

// What a method has returned, as JSON's types: its value, a list of several, or its error.
func plain(results []reflect.Value) (any, error) {
	var values []any
	for _, result := range results {
		switch value := result.Interface().(type) {
		case rest.Error:
			return map[string]any{"code": value.Code, "reason": value.Reason}, nil
		case error:
			return map[string]any{"error": value.Error()}, nil
		default:
			values = append(values, value)
		}
	}
	values = values[:len(values)-1] // the error there was none of
	var body any
	switch len(values) {
	case 0:
		return nil, nil
	case 1:
		body = values[0]
	default:
		body = values
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	var asJSON any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&asJSON)
	return asJSON, err
}
