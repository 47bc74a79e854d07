{{- define "gleaner.selector" -}}
app.kubernetes.io/name: gleaner-watcher
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gleaner.labels" -}}
{{ include "gleaner.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "gleaner.priorityClass" -}}
{{- if .Values.priority.create }}gleaner-watcher{{ else }}{{ .Values.priority.className }}{{ end }}
{{- end }}

{{- define "gleaner.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}
