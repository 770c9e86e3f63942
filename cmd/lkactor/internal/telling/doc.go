// Package telling puts the events of a story into words: a line of text for people,
// a line of JSON for machines. It decides nothing and adds nothing to what package
// story says.
//
// clock.go writes instants and spans, words.go the phrases that occur in more than
// one sentence, text.go the sentence of each event, json.go the same for machines.
package telling
