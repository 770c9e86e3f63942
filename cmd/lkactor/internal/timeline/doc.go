// Package timeline draws the story of a log: a lane for each lock, on it a bar for
// each lease and each wait, and a mark for whatever else happened.
//
// A [Builder] makes a [Chart] out of the events of package story, and a Chart can be
// written in two ways: [Chart.SVG] is a still picture for documents, [Chart.HTML] a
// page to look around in. Both stand alone and load nothing. What a chart says in words
// are the sentences of package telling; nothing here decides or words anything anew.
//
// chart.go says what is on a chart, builder.go and window.go how events come to be on
// it. palette.go, ticks.go and the svg files draw the picture. data.go and html.go
// write the page; what runs in it is in the folder page.
package timeline
