package io.sluice.conformance.steps;

/**
 * Where a process may be halted: before or after a method of the server's.
 *
 * @param type the class, as the JVM names it
 * @param often how many times it may be let through first at most, so that it still comes soon
 */
public record Step(String name, String type, String method, int often) {}
