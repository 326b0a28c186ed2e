{{/*
Gives values that are missing what the chart says of them. `helm upgrade --reuse-values` takes all values from the release, those of the chart that
it was installed with: there is nothing for what the chart did not have then. Each template begins with it, since Helm may render any first.
*/}}
{{- define "sluice.defaults" -}}
{{- include "sluice.fill" (list .Values (.Files.Get "defaults.yaml" | fromYaml)) -}}
{{- end -}}

{{/* Sets keys of the first map that only the second one has, at every depth. What is there stays, if it is empty or false, too. */}}
{{- define "sluice.fill" -}}
{{- $values := index . 0 -}}
{{- range $key, $default := index . 1 -}}
{{- if not (hasKey $values $key) -}}
{{- $_ := set $values $key $default -}}
{{- else if and (kindIs "map" $default) (kindIs "map" (get $values $key)) -}}
{{- include "sluice.fill" (list (get $values $key) $default) -}}
{{- end -}}
{{- end -}}
{{- end -}}
