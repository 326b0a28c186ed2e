package io.sluice.pulsar.admin;

import io.sluice.pulsar.registry.Subject;

/** A request about a subject of the schema registry, from a caller that may ask it. */
record SubjectRequest(AdminRequest request, Subject subject) {}
