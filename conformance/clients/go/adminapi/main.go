// Every method of pulsar-client-go's admin client, which pulsarctl's commands are made of, called against a server: calls.txt says how.
// Prints one JSON list: what was requested, and what the client made of the answers.
//
//	usage: go run ./adminapi ADMIN_URL SERVICE_URL
//
// The server must be new: places and topics are created by name. Exits with 1 if a method of a service is not called.
package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

//go:embed calls.txt
var calls string

// One call, and what came of it: a line of the recorded answers.
type answer struct {
	Step        string `json:"step"`
	Request     string `json:"request"`
	Status      int    `json:"status"`
	ContentType string `json:"contentType"`
	Body        any    `json:"body"`
}

type player struct {
	services services
	wire     *wire
	messages *messages
	answers  []answer
	steps    map[string]int
}

func must(err error, what string) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		os.Exit(1)
	}
}

func main() {
	wire := newWire()
	services, err := newServices(os.Args[1], wire)
	must(err, "admin client")
	messages, err := newMessages(os.Args[2])
	must(err, "client")
	p := &player{services: services, wire: wire, messages: messages, steps: map[string]int{}}
	lines := bufio.NewScanner(strings.NewReader(calls))
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line != "" && !strings.HasPrefix(line, "#") {
			must(p.play(line), fmt.Sprintf("calls.txt, line %d, %s", number, line))
		}
	}
	messages.client.Close()
	if missing := services.notCalled(); len(missing) > 0 {
		fmt.Fprintln(os.Stderr, "not called:", strings.Join(missing, " "))
		os.Exit(1)
	}
	out, err := json.MarshalIndent(p.answers, "", "  ")
	must(err, "answers")
	fmt.Println(string(out))
}

// A line is what to do, and values in JSON.
func (p *player) play(line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "call":
		method, values, _ := strings.Cut(rest, " ")
		_, err := p.call(method, values)
		return err
	case "policy":
		return p.policy(rest)
	case "send":
		return p.messages.send(rest)
	}
	return fmt.Errorf("unknown %q", verb)
}

// Reads a policy, sets it, reads it until it has changed, and does the same with its removal, if there is such a method. The values are
// those that all have in common; behind semicolons those for setting, reading and removing.
func (p *player) policy(line string) error {
	parts := strings.Split(line, " ; ")
	for len(parts) < 4 {
		parts = append(parts, "")
	}
	method, place, _ := strings.Cut(parts[0], " ")
	service, name, _ := strings.Cut(method, ".")
	read := func(before *answer) (answer, error) {
		return p.until(service+".Get"+name, place+" "+parts[2], before)
	}
	first, err := read(nil)
	if err != nil {
		return err
	}
	second, err := p.change(service+".Set"+name, place+" "+parts[1], first, read)
	if err != nil {
		return err
	}
	for _, verb := range []string{"Remove", "Delete", "Clear"} {
		if p.services.has(service, verb+name) {
			_, err = p.change(service+"."+verb+name, place+" "+parts[3], second, read)
			return err
		}
	}
	return nil
}

// Calls a method, and reads until there is another answer than before, if it was not refused.
func (p *player) change(method, values string, before answer, read func(*answer) (answer, error)) (answer, error) {
	changed, err := p.call(method, values)
	if err != nil {
		return answer{}, err
	}
	if changed.Status >= 300 {
		return read(nil)
	}
	return read(&before)
}

func (p *player) keep(method, values string, body any) answer {
	step := strings.TrimSpace(method + " " + strings.TrimSpace(values))
	p.steps[step]++
	if n := p.steps[step]; n > 1 {
		step = fmt.Sprintf("%s, %d", step, n)
	}
	request, status, contentType := p.wire.take()
	a := answer{step, p.messages.hide(request), status, contentType, body}
	p.answers = append(p.answers, a)
	return a
}
