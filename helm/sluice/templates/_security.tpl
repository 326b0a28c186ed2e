{{/* Secret with the server's certificate, or nothing. */}}
{{- define "sluice.tlsSecret" -}}
{{- with .Values.security.tls -}}
{{- if .existingSecret -}}
{{ .existingSecret }}
{{- else if .certManager.issuer.name -}}
{{ include "sluice.name" $ }}-tls
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "sluice.administratorSecret" -}}
{{ .Values.security.administrator.existingSecret | default (printf "%s-administrator" (include "sluice.name" .)) }}
{{- end -}}

{{- define "sluice.tokensSecret" -}}
{{ .Values.security.tokens.existingSecret | default (printf "%s-tokens" (include "sluice.name" .)) }}
{{- end -}}

{{/* The server's settings, in YAML: what is given, and for what is not TLS, logins and access rules, unless everybody is to be let in. */}}
{{- define "sluice.settings" -}}
{{- $settings := deepCopy .Values.config -}}
{{- $open := .Values.security.allowAnonymous -}}
{{- $secret := include "sluice.tlsSecret" . -}}
{{- $tokens := false -}}
{{- range $name, $ways := dict "kafka" "scram, token" "pulsar" "token, password" "http" "token, password" -}}
{{- $listener := get $settings $name | default dict -}}
{{- if not (hasKey $listener "tls") -}}
{{- $_ := set $listener "tls" (or (not $open) (ne $secret "")) -}}
{{- end -}}
{{- if not (hasKey $listener "authentication") -}}
{{- $_ := set $listener "authentication" (ternary "" $ways $open) -}}
{{- end -}}
{{- $tokens = or $tokens (contains "token" $listener.authentication) -}}
{{- $_ := set $settings $name $listener -}}
{{- end -}}
{{- $security := get $settings "security" | default dict -}}
{{- $_ := set $security "allowAnonymous" $open -}}
{{- if $secret -}}
{{- $tls := dict "certificate" "/run/sluice/tls/tls.crt" "key" "/run/sluice/tls/tls.key" -}}
{{- $_ := set $security "tls" (merge $tls (get $security "tls" | default dict)) -}}
{{- end -}}
{{- if not $open -}}
{{- if not (hasKey $security "authorization") -}}
{{- $_ := set $security "authorization" true -}}
{{- end -}}
{{- $_ := set $security "superUsers" (list .Values.security.administrator.name (get $security "superUsers") | compact | join ";") -}}
{{- $_ := set $security "initialUsers" "env:SLUICE_ADMINISTRATOR" -}}
{{- end -}}
{{- $keys := get $security "tokens" | default dict -}}
{{- if and $tokens (not (or $keys.secretFile $keys.publicKeyFile $keys.jwks)) -}}
{{- $_ := set $keys "secretFile" "/run/sluice/tokens/secret" -}}
{{- $_ := set $security "tokens" $keys -}}
{{- end -}}
{{- $_ := set $settings "security" $security -}}
{{- if include "sluice.isCluster" . -}}
{{- $internal := dict "host" "0.0.0.0" "secretFile" "/run/sluice/internal/secret" -}}
{{- $_ := set $settings "internal" (merge $internal (get $settings "internal" | default dict)) -}}
{{- if and $secret .Values.security.tls.authority -}}
{{- $_ := set $settings.http "authorities" (printf "/run/sluice/tls/%s" .Values.security.tls.authority) -}}
{{- end -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end -}}

{{/* Whether the server's settings have the secret of tokens that the chart gives: "true", or nothing. */}}
{{- define "sluice.hasTokens" -}}
{{- if eq (dig "security" "tokens" "secretFile" "" (include "sluice.settings" . | fromYaml)) "/run/sluice/tokens/secret" -}}
true
{{- end -}}
{{- end -}}

{{/* Base64 of a value of a secret: the one that is there already, or a new one. Takes the context, the secret's name, the key and a length. */}}
{{- define "sluice.kept" -}}
{{- $there := get (lookup "v1" "Secret" (index . 0).Release.Namespace (index . 1)) "data" | default dict -}}
{{- get $there (index . 2) | default (randAlphaNum (index . 3) | b64enc) -}}
{{- end -}}

{{/* Mechanism by which the administrator logs in over Kafka, or nothing. */}}
{{- define "sluice.mechanism" -}}
{{- $ways := (include "sluice.settings" . | fromYaml).kafka.authentication -}}
{{- if contains "scram" $ways -}}
SCRAM-SHA-512
{{- else if contains "password" $ways -}}
PLAIN
{{- end -}}
{{- end -}}

{{/* Whether the chart's own clients can log in by password over all protocols, or need not: "true", or nothing. */}}
{{- define "sluice.canCheck" -}}
{{- $settings := include "sluice.settings" . | fromYaml -}}
{{- if or .Values.security.allowAnonymous (and (include "sluice.mechanism" .) (contains "password" $settings.pulsar.authentication) (contains "password" $settings.http.authentication)) -}}
true
{{- end -}}
{{- end -}}

{{/* Whether there is something for the job that makes users: "true", or nothing. */}}
{{- define "sluice.hasAccess" -}}
{{- if or .Values.security.users .Values.security.groups (include "sluice.metricsSecret" .) -}}
true
{{- end -}}
{{- end -}}

{{/* Secret with the login of Prometheus, or nothing. */}}
{{- define "sluice.metricsSecret" -}}
{{- if and .Values.monitoring.serviceMonitor.enabled (not .Values.security.allowAnonymous) -}}
{{ include "sluice.name" . }}-metrics
{{- end -}}
{{- end -}}

{{/* Environment of clients that are the administrator. */}}
{{- define "sluice.administrator" -}}
- name: ADMINISTRATOR_PASSWORD
  valueFrom: {secretKeyRef: {name: {{ include "sluice.administratorSecret" . }}, key: password}}
- name: SLUICE_ADMINISTRATOR
  value: {{ printf "%s:$(ADMINISTRATOR_PASSWORD)" .Values.security.administrator.name }}
{{- end -}}

{{/* Volumes of the chart's own clients: their settings, and the authority, if it is in the secret. */}}
{{- define "sluice.clientVolumes" -}}
{{- if not .Values.security.allowAnonymous }}
- name: client
  configMap: {name: {{ include "sluice.name" . }}-client}
{{- end }}
{{- if and (include "sluice.tlsSecret" .) .Values.security.tls.authority }}
- name: authority
  secret:
    secretName: {{ include "sluice.tlsSecret" . }}
    items: [{key: {{ .Values.security.tls.authority }}, path: ca.pem}]
{{- end }}
{{- end -}}

{{- define "sluice.clientMounts" -}}
{{- if not .Values.security.allowAnonymous }}
- {name: client, mountPath: /etc/sluice/client, readOnly: true}
{{- end }}
{{- if and (include "sluice.tlsSecret" .) .Values.security.tls.authority }}
- {name: authority, mountPath: /run/sluice/authority, readOnly: true}
{{- end }}
{{- end -}}
