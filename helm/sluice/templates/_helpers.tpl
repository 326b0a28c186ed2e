{{/* 50 characters, so that the names made from it fit into a label of DNS, with a number of a pod behind them. */}}
{{- define "sluice.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What makes out the server's pods. Never changes: a StatefulSet and its claims keep it for ever. */}}
{{- define "sluice.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: server
{{- end -}}

{{- define "sluice.labels" -}}
{{ include "sluice.commonLabels" . }}
app.kubernetes.io/component: server
{{- end -}}

{{- define "sluice.commonLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* `annotations:` in the metadata of an object, if there are any. Takes the chart's context and the object's own. */}}
{{- define "sluice.annotations" -}}
{{- with merge (dict) (index . 1) (index . 0).Values.commonAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
{{- end }}
{{- end -}}

{{- define "sluice.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "sluice.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "sluice.name" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end -}}

{{/* MiB of `memory`. */}}
{{- define "sluice.memory" -}}
{{- $given := .Values.memory -}}
{{- $mebibytes := trimSuffix "Mi" $given | int -}}
{{- if hasSuffix "Gi" $given -}}
{{- $mebibytes = mul 1024 (trimSuffix "Gi" $given | int) | int -}}
{{- end -}}
{{- $mebibytes -}}
{{- end -}}

{{/* MiB of the container: the server's budget is three quarters of it, as in the image. */}}
{{- define "sluice.memoryLimit" -}}
{{- div (add (mul 4 (include "sluice.memory" .)) 2) 3 -}}
{{- end -}}

{{/* Secret with the keys of S3, or nothing. */}}
{{- define "sluice.s3Secret" -}}
{{- if .Values.s3.existingSecret -}}
{{ .Values.s3.existingSecret }}
{{- else if .Values.s3.accessKeyId -}}
{{ include "sluice.name" . }}-s3
{{- end -}}
{{- end -}}

{{/* Name of a pod that clients inside the cluster can reach; $(POD_NAME) is put in by Kubernetes. */}}
{{- define "sluice.insideHost" -}}
$(POD_NAME).{{ include "sluice.name" . }}-nodes.{{ .Release.Namespace }}.svc.{{ .Values.clusterDomain }}
{{- end -}}

{{/* "true" for a cluster, nothing for a standalone server. */}}
{{- define "sluice.isCluster" -}}
{{- if gt (int .Values.cluster.nodes) 0 -}}
true
{{- end -}}
{{- end -}}

{{- define "sluice.internalSecret" -}}
{{ .Values.cluster.existingSecret | default (printf "%s-internal" (include "sluice.name" .)) }}
{{- end -}}

{{/* "true" if the nodes of a cluster are told to clients by ports or hosts that differ: each has a file of settings then. */}}
{{- define "sluice.hasNodeFiles" -}}
{{- if and (include "sluice.isCluster" .) .Values.outside.type -}}
true
{{- end -}}
{{- end -}}

{{/* Settings of a node of a cluster, in YAML. Takes the chart's context and the number of the node. */}}
{{- define "sluice.nodeSettings" -}}
{{- $context := index . 0 -}}
{{- $number := index . 1 -}}
{{- $outside := $context.Values.outside -}}
{{- $settings := include "sluice.settings" $context | fromYaml -}}
{{- range $listener := list "kafka" "pulsar" "http" -}}
{{- if or (ne $listener "http") $outside.http.enabled -}}
{{- $ports := get $outside $listener -}}
{{- $port := ternary (add (int $ports.nodePort) $number) (int $ports.port) (eq $outside.type "NodePort") -}}
{{- $advertised := dict "advertisedPort" $port -}}
{{- if $outside.hosts -}}
{{- $_ := set $advertised "advertisedHost" (index $outside.hosts $number) -}}
{{- end -}}
{{- $_ := set $settings $listener (merge $advertised (get $settings $listener)) -}}
{{- end -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end -}}

{{/* Host that clients of Kafka and Pulsar are told. */}}
{{- define "sluice.advertisedHost" -}}
{{- $outside := .Values.outside -}}
{{- if $outside.host -}}
{{ $outside.host }}
{{- else if eq $outside.type "NodePort" -}}
$(NODE_ADDRESS)
{{- else -}}
{{ include "sluice.insideHost" . }}
{{- end -}}
{{- end -}}

{{/* Port that clients are told, by the name of the listener; 0 is the port listened on. */}}
{{- define "sluice.advertisedPort" -}}
{{- $ports := index (index . 0).Values.outside (index . 1) -}}
{{- $type := (index . 0).Values.outside.type -}}
{{- if eq $type "NodePort" -}}
{{ $ports.nodePort }}
{{- else if eq $type "LoadBalancer" -}}
{{ $ports.port }}
{{- else -}}
0
{{- end -}}
{{- end -}}

{{/* Name that the chart's own clients go to; the certificate has it. */}}
{{- define "sluice.service" -}}
{{ include "sluice.name" . }}.{{ .Release.Namespace }}.svc
{{- end -}}

{{/* Ends with one line. `helm lint` prints it and goes on, so there what follows is no YAML, which it refuses. */}}
{{- define "sluice.refuse" -}}
{{- fail . -}}
refused: [ {{ . }}
{{- end -}}
