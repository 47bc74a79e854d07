{{- /*
The manifests of one generated file of rbac/, in the release's namespace. `accounts`: the only service accounts that are
rendered and bound, so that no right waits for an account that somebody might create. A namespace that the cluster does without gets no role;
where the cluster is not asked, as by `helm template`, each gets its own.
*/ -}}
{{- define "gleaner.rights" -}}
{{- $root := .root }}
{{- $accounts := .accounts }}
{{- range $text := regexSplit "(?m)^---\n" ($root.Files.Get (printf "rbac/%s-%s.yaml" $root.Values.flavour .file)) -1 }}
{{- $object := fromYaml $text }}
{{- $namespace := get (get $object "metadata" | default dict) "namespace" }}
{{- $isAsked := lookup "v1" "Namespace" "" "kube-system" }}
{{- $isThere := or (not $isAsked) (not $namespace) (eq $namespace "gleaner") (lookup "v1" "Namespace" "" $namespace) }}
{{- $isAccount := eq (get $object "kind") "ServiceAccount" }}
{{- if and $isThere (get $object "kind") (ne $object.kind "Namespace") (or (not $isAccount) (has $object.metadata.name $accounts)) }}
{{- if eq $namespace "gleaner" }}
{{- $_ := set $object.metadata "namespace" $root.Release.Namespace }}
{{- end }}
{{- $_ := set $object.metadata "labels" (fromYaml (include "gleaner.labels" $root)) }}
{{- if hasKey $object "subjects" }}
{{- $subjects := list }}
{{- range $object.subjects }}
{{- if has .name $accounts }}
{{- $subjects = append $subjects (set . "namespace" $root.Release.Namespace) }}
{{- end }}
{{- end }}
{{- $_ := set $object "subjects" $subjects }}
{{- end }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}
{{- end }}
