package io.sluice.transactions;

/** A request to end a {@linkplain SingleTransaction single transaction}. */
record EndRequest(boolean commit, CallAnswer answer) {}
