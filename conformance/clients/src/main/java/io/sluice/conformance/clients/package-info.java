/** Stock clients in the test's own JVM, what they do while servers are killed, and the tools that tests want of the machine. */
@org.jspecify.annotations.NullMarked
package io.sluice.conformance.clients;
