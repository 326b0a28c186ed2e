/** Tests of transactions between nodes. */
@org.jspecify.annotations.NullMarked
package io.sluice.transactions.peer;
