# An app as people write it with Streamlit: it streams words, answers its widgets by a WebSocket, and takes a file.
import hashlib
import time

import streamlit as st

st.title("dashboard")
if st.button("stream"):
    began = time.monotonic()

    def words():
        for i in range(8):
            yield f"w{i} "
            time.sleep(0.2)

    st.write_stream(words)
    st.write("streamed" if time.monotonic() - began > 1 else "at once")
number = st.number_input("number", value=3)
st.write("square", number * number)
st.line_chart({"loss": [1 / (step + 1) for step in range(20)]})
file = st.file_uploader("file")
if file:
    st.write("sum " + hashlib.sha256(file.getvalue()).hexdigest())
