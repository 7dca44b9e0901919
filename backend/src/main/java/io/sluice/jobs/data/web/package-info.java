/** Owns how data is had from the web: from which hosts, over which line. */
@NullMarked
package io.sluice.jobs.data.web;

import org.jspecify.annotations.NullMarked;
