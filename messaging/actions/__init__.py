"""The verbs: one verb, one file, one public function. Faces call these and nothing below that writes."""
