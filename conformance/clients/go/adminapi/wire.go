package main

import (
	"net/http"
	"strings"
	"sync"
)

// Between the admin client and HTTP: remembers one thing that was asked, and how the last question was answered. How many questions a call
// takes may depend on the answers, and some are asked side by side: it is the first by name.
type wire struct {
	http.RoundTripper
	lock        sync.Mutex
	request     string
	status      int
	contentType string
}

func newWire() *wire {
	return &wire{RoundTripper: http.DefaultTransport}
}

func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := w.RoundTripper.RoundTrip(request)
	w.lock.Lock()
	defer w.lock.Unlock()
	asked := request.Method + " " + request.URL.RequestURI()
	if w.request == "" || asked < w.request {
		w.request = asked
	}
	if err == nil {
		w.status = response.StatusCode
		w.contentType, _, _ = strings.Cut(response.Header.Get("Content-Type"), ";")
	}
	return response, err
}

func (w *wire) Transport() http.RoundTripper {
	return w
}

func (w *wire) WithTransport(t http.RoundTripper) {
	w.RoundTripper = t
}

// What was asked since it was last called; 0 if nothing was, because the client refused.
func (w *wire) take() (request string, status int, contentType string) {
	w.lock.Lock()
	defer w.lock.Unlock()
	request, status, contentType = w.request, w.status, w.contentType
	w.request, w.status, w.contentType = "", 0, ""
	return
}
