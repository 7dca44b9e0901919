@NullMarked
package io.sluice.logs.search;

import org.jspecify.annotations.NullMarked;
