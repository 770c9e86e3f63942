package oplog

import "testing"

func TestFormatOfAFile(t *testing.T) {
	for file, want := range map[string]Format{
		"log.json": Array, "log": Array, "-": Array, "": Array, "ndjson": Array, "a.ndjson/log": Array,
		"log.ndjson": Lines, "log.jsonl": Lines, "dir/LOG.JSONL": Lines, "log.json.ndjson": Lines, ".jsonl": Lines,
	} {
		if got := FormatOf(file); got != want {
			t.Errorf("%s is taken for %v, want %v", file, got, want)
		}
	}
}

func TestFormatsHaveNames(t *testing.T) {
	for _, format := range []Format{Array, Lines} {
		if got, ok := ParseFormat(format.String()); got != format || !ok {
			t.Errorf("%v is read as %v, %v", format, got, ok)
		}
	}
	if _, ok := ParseFormat("yaml"); ok {
		t.Error("yaml is a format")
	}
}
