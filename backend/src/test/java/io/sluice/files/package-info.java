@NullMarked
package io.sluice.files;

import org.jspecify.annotations.NullMarked;
