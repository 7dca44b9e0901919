/** Owns which ports of the nodes a job can have, and what it is told that can not have them. It stores nothing and reserves nothing on a machine. */
@NullMarked
package io.sluice.jobs.ports;

import org.jspecify.annotations.NullMarked;
