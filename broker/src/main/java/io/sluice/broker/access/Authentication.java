package io.sluice.broker.access;

/** Way in which a client proves who it is. */
public enum Authentication {
    /** Not at all: an open listener. */
    NONE,
    /** Name and password in clear: SASL PLAIN, Pulsar's basic, HTTP's. */
    PASSWORD,
    /** Salted challenge and response, in which no password travels: SCRAM-SHA-256 and SCRAM-SHA-512. */
    SCRAM,
    /** A delegation token of Kafka, whose secret is proved as a password is by SCRAM. */
    DELEGATION_TOKEN,
    /** A signed JSON web token: SASL OAUTHBEARER, Pulsar's token, HTTP's bearer. */
    TOKEN,
    /** A certificate in the TLS handshake. */
    CERTIFICATE,
    /** By a proxy that is trusted, which says who it is. */
    PROXY
}
