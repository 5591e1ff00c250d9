{{/* All objects have the name of the release. */}}
{{- define "reprise.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "reprise.selector" -}}
app.kubernetes.io/name: reprise
app.kubernetes.io/instance: {{ include "reprise.name" . }}
{{- end -}}

{{- define "reprise.labels" -}}
{{ include "reprise.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "reprise.jobsNamespace" -}}
{{- $namespace := .Values.jobs.namespace | default (printf "%s-jobs" .Release.Namespace) -}}
{{- if eq $namespace .Release.Namespace -}}
{{- fail "jobs.namespace is the namespace of the servers. Jobs need a namespace of their own: a job could otherwise use the Secrets and claims of the servers." -}}
{{- end -}}
{{- $namespace -}}
{{- end -}}

{{- define "reprise.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "reprise.name" .) -}}
{{- end -}}

{{- define "reprise.claim" -}}
{{- if .Values.shared.volume -}}
{{- if or .Values.shared.claim .Values.shared.jobsClaim -}}
{{- fail "shared.volume and shared.claim cannot be combined: name a volume, or shared.claim and shared.jobsClaim." -}}
{{- end -}}
{{- include "reprise.name" . -}}-shared
{{- else -}}
{{- required "No shared folder: set shared.volume, or shared.claim and shared.jobsClaim." .Values.shared.claim -}}
{{- end -}}
{{- end -}}

{{- define "reprise.jobsClaim" -}}
{{- $claim := include "reprise.claim" . -}}
{{- if .Values.shared.volume -}}
{{- $claim -}}
{{- else -}}
{{- required "shared.claim needs shared.jobsClaim: a claim for the same folder in the namespace of the jobs." .Values.shared.jobsClaim -}}
{{- end -}}
{{- end -}}

{{/* The settings file of the servers. Values of the administrator replace those of the chart. */}}
{{- define "reprise.settings" -}}
{{- $own := dict
  "host" "0.0.0.0"
  "allow-insecure-host" "true"
  "sandbox" "none"
  "containers" "none"
  "sample-run" "false"
  "shared" "/shared"
  "backends" "kubernetes"
  "kubernetes-namespace" (include "reprise.jobsNamespace" .)
  "kubernetes-claim" (printf "%s=/shared" (include "reprise.jobsClaim" .))
-}}
{{- if .Values.jobs.pod -}}
{{- $_ := set $own "kubernetes-pod" "/etc/reprise/pod.yaml" -}}
{{- end -}}
{{- if .Values.jobs.registryCredentials -}}
{{- $_ := set $own "kubernetes-pull-secrets" "true" -}}
{{- end -}}
{{- if .Values.administrator.email -}}
{{- $_ := set $own "admin-email" .Values.administrator.email -}}
{{- end -}}
{{- if and .Values.ingress.enabled .Values.ingress.host -}}
{{- $_ := set $own "public-url" (printf "%s://%s" (ternary "https" "http" (ne .Values.ingress.tlsSecret "")) .Values.ingress.host) -}}
{{- end -}}
{{- range $name, $value := merge (dict) .Values.server.settings $own }}
{{ $name }} = {{ $value }}
{{- end -}}
{{- end -}}
