"""The lab: a web page to work in, served on loopback, with every computation in a separate process."""
