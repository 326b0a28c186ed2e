package io.sluice.server;

/** Where clients connect: {@code host:port} as advertised, with the ports really bound. */
record Listeners(String kafka, String pulsar, String http) {}
